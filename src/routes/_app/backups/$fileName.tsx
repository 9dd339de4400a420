import { createFileRoute, notFound } from '@tanstack/react-router';
import { backupsQuery, readBackups } from '../../../backups/list.ts';
import { BackupPage } from './-BackupPage.tsx';
import { readDetail, writeDetail } from './-detail-view.ts';

export const Route = createFileRoute('/_app/backups/$fileName')({
  validateSearch: (search) => writeDetail(readDetail(search)),
  loader: async ({ context: { queryClient }, params: { fileName } }) => {
    const { queryKey, queryFn } = backupsQuery;
    const all = await queryClient.fetchQuery({ queryKey, queryFn });
    if (!readBackups(all).some((one) => one.fileName === fileName)) throw notFound();
    return { title: fileName };
  },
  remountDeps: ({ params }) => params,
  component: BackupPage,
});
