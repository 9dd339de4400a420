import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, userColumns } from '../../kernel/backup-sheets.ts';
import { licenseHandlers } from './handlers.ts';
import { licensesJob } from './set-licenses.ts';

export const licensesArea = defineArea({
  name: 'licenses',
  handlers: licenseHandlers,
  jobKinds: [licensesJob],
  tables: {
    seat_total: { backup: { leftOut: 'agreed with whoever runs the platform, who sets it again' } },
  },
  sheets: {
    licenses: {
      name: 'licenses.csv',
      kind: 'licenses',
      from: 'membership',
      keys: ['user_id'],
      columns: [...userColumns('user_id'), ...plainColumns('license_type_id')],
    },
  },
  auditActions: { site: ['cli.site-seats'], user: ['license.change'] },
});
