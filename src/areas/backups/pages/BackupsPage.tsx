import { Outlet, useRouter } from '@tanstack/react-router';
import { Archive } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { BackupList } from './BackupList.tsx';

const SHORTCUTS = [{ keys: 'n', label: 'Request a backup', group: 'Backups' }];

/** Every backup of the site. The address holds what is asked for. */
export function BackupsPage() {
  const router = useRouter();
  const { allowed, reason } = useAllowed('listBackups');
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/backups/new', search: (now) => now }));
  if (allowed)
    return (
      <>
        <BackupList />
        <Outlet />
      </>
    );
  return (
    <Page title="Backups">
      <EmptyState icon={Archive} title="You cannot see the backups of this site">
        {reason}. A backup holds everything of the site, so it is not for everybody; whoever administers
        groups can give the capability.
      </EmptyState>
    </Page>
  );
}
