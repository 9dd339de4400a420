import { Link, Outlet } from '@tanstack/react-router';
import { useSession } from '../../../api/session.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';

/** Settings of the site with their tabs. */
export function SettingsPage() {
  const { site } = useSession();
  return (
    <Page title="Settings" meta={`of ${site.name}`}>
      <TabLinks label="Settings">
        <Link to="/settings" activeOptions={{ exact: true }}>
          General
        </Link>
        <Link to="/settings/addresses">Approved addresses</Link>
        <Link to="/settings/two-factor">Two-factor</Link>
      </TabLinks>
      <Outlet />
    </Page>
  );
}
