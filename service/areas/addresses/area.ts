import { defineArea } from '../../kernel/area/area.ts';
import { textColumns, timeColumns } from '../../kernel/backup-sheets.ts';
import { addressHandlers } from './handlers.ts';

export const addressesArea = defineArea({
  name: 'addresses',
  handlers: addressHandlers,
  tables: {
    approved_address: { backup: { sheet: 'addresses' } },
  },
  sheets: {
    addresses: {
      name: 'settings/addresses.csv',
      kind: 'settings',
      from: 'approved_address',
      columns: [...textColumns('network', 'note'), ...timeColumns('created_at')],
    },
  },
  auditActions: { site: ['site.addresses'] },
});
