import { createFileRoute, notFound } from '@tanstack/react-router';
import { backupsQuery, readBackups } from '../../../areas/backups/download/list.ts';
import { BackupPage } from '../../../areas/backups/pages/BackupPage.tsx';
import { readDetail, writeDetail } from '../../../areas/backups/model/detail-view.ts';

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
