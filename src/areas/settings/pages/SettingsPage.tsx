import { Link, Outlet } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { usePermission, useSession } from '../../../api/session.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';

/** Settings of the site with their tabs. */
export function SettingsPage() {
  const { site } = useSession();
  const { allowed, reason } = usePermission('getSiteSettings');
  const log = usePermission('listConfigurationChanges');
  if (!allowed)
    return (
      <Page title="Settings" meta={site.name}>
        <EmptyState icon={Lock} title="You cannot view the settings of this site">
          {reason}. An administrator of groups can grant you the capability.
        </EmptyState>
      </Page>
    );
  return (
    <Page
      title="Settings"
      meta={site.name}
      actions={
        log.allowed && (
          <Link
            to="/activity/configuration"
            search={{ kind: 'setting-address-schedule' }}
            className={buttonClass()}
          >
            Configuration log
          </Link>
        )
      }
    >
      <TabLinks label="Settings">
        <Link to="/settings" activeOptions={{ exact: true }}>
          General
        </Link>
        <Link to="/settings/addresses">Approved addresses</Link>
        <Link to="/settings/two-factor">Two-factor</Link>
        <Link to="/settings/appearance">Appearance and mails</Link>
      </TabLinks>
      <Outlet />
    </Page>
  );
}
