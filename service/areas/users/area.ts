import { defineArea } from '../../kernel/area/area.ts';
import { userExportHandlers, userExportJob } from './export.ts';
import { userHandlers } from './handlers.ts';
import { importUsersJob, undoImportJob } from './import.ts';
import { usersJob, removeUsersJob } from './job-kinds.ts';

export const usersArea = defineArea({
  name: 'users',
  handlers: { ...userHandlers, ...userExportHandlers },
  jobKinds: [usersJob, removeUsersJob, importUsersJob, undoImportJob, userExportJob],
  tables: {
    account: {
      backup: { leftOut: 'belongs to the installation; sheets of members hold what a site knows of it' },
    },
  },
  auditActions: {
    user: [
      'cli.make-admin',
      'cli.set-password-link',
      'cli.user-create',
      'cli.user-deactivate',
      'site.first-administrator',
      'user.create',
      'user.home',
      'user.password-link',
      'user.remove',
      'user.set-password',
      'user.update',
    ],
  },
});
