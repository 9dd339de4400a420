import { createFileRoute, notFound, stripSearchParams } from '@tanstack/react-router';
import type { SearchSchemaInput } from '@tanstack/react-router';
import { backupsQuery, toBackups } from '../../../areas/backups/model/backups.ts';
import { BACKUP_PAGE_DEFAULTS, parseBackupPageView } from '../../../areas/backups/model/view.ts';
import type { BackupPageView } from '../../../areas/backups/model/view.ts';
import { BackupPage } from '../../../areas/backups/pages/BackupPage.tsx';

export const Route = createFileRoute('/_app/backups/$fileName')({
  validateSearch: (search: Partial<BackupPageView> & SearchSchemaInput) => parseBackupPageView({ ...search }),
  search: { middlewares: [stripSearchParams(BACKUP_PAGE_DEFAULTS)] },
  loader: async ({ context: { queryClient }, params: { fileName } }) => {
    const { queryKey, queryFn } = backupsQuery;
    const all = await queryClient.fetchQuery({ queryKey, queryFn });
    if (!toBackups(all).some((one) => one.fileName === fileName)) throw notFound();
    return { title: fileName };
  },
  remountDeps: ({ params }) => params,
  component: BackupPage,
});
