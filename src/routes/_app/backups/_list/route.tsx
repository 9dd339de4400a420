import { createFileRoute } from '@tanstack/react-router';
import { CAPABILITIES } from '../../../../api/capabilities.gen.ts';
import { hasAnyCapability } from '../../../../api/session.ts';
import { backupsQuery } from '../../../../areas/backups/model/backups.ts';
import { parseBackupsView, serializeBackupsView } from '../../../../areas/backups/model/view.ts';
import { BackupsPage } from '../../../../areas/backups/pages/BackupsPage.tsx';

export const Route = createFileRoute('/_app/backups/_list')({
  validateSearch: (search) => serializeBackupsView(parseBackupsView(search)),
  loader: async ({ context: { queryClient, session } }) => {
    // The page is shown immediately; the table has its own loading state.
    if (hasAnyCapability(session, CAPABILITIES.listBackups)) void queryClient.prefetchQuery(backupsQuery);
  },
  component: BackupsPage,
});
