import { createFileRoute } from '@tanstack/react-router';
import { CAPABILITIES } from '../../../../api/capabilities.gen.ts';
import { can } from '../../../../api/session.ts';
import { backupsQuery } from '../../../../areas/backups/download/list.ts';
import { BackupsPage } from '../../../../areas/backups/pages/BackupsPage.tsx';
import { readView, writeView } from '../../../../areas/backups/model/view.ts';

export const Route = createFileRoute('/_app/backups/_list')({
  validateSearch: (search) => writeView(readView(search)),
  loader: async ({ context: { queryClient, session } }) => {
    // The table shows that it waits; the page around it need not.
    if (can(session, CAPABILITIES.listBackups)) void queryClient.prefetchQuery(backupsQuery);
  },
  component: BackupsPage,
});
