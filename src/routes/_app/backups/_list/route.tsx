import { createFileRoute } from '@tanstack/react-router';
import { CAPABILITIES } from '../../../../api/capabilities.gen.ts';
import { hasAnyCapability } from '../../../../api/session.ts';
import { backupsQuery } from '../../../../areas/backups/model/backups.ts';
import type { BackupsSearch } from '../../../../areas/backups/model/view.ts';
import { BackupsPage } from '../../../../areas/backups/pages/BackupsPage.tsx';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/backups/_list')({
  validateSearch: passSearch<BackupsSearch>,
  loader: async ({ context: { queryClient, session } }) => {
    // The page is shown immediately; the table has its own loading state.
    if (hasAnyCapability(session, CAPABILITIES.listBackups)) void queryClient.prefetchQuery(backupsQuery);
  },
  component: BackupsPage,
});
