import { defineArea } from '../../kernel/area/area.ts';
import {
  plainColumns,
  textColumns,
  timeColumns,
  jsonColumns,
  userColumns,
} from '../../kernel/backup-sheets.ts';
import { viewHandlers } from './handlers.ts';
import { tableViewHandlers } from './table-views.ts';

export const viewsArea = defineArea({
  name: 'views',
  handlers: { ...viewHandlers, ...tableViewHandlers },
  tables: {
    saved_view: { backup: { sheet: 'views' } },
    saved_view_default: { backup: { leftOut: 'choices of each user' } },
  },
  sheets: {
    views: {
      name: 'settings/views.csv',
      kind: 'settings',
      from: 'saved_view',
      keys: ['view_id'],
      largeColumns: ['search', 'query', 'columns'],
      isByEntryType: true,
      columns: [
        ...plainColumns('view_id', 'type_id'),
        ...userColumns('owner_id'),
        ...textColumns('name'),
        ...plainColumns('is_shared'),
        ...textColumns('search', 'query', 'sort'),
        ...jsonColumns('columns'),
        ...plainColumns('version'),
        ...timeColumns('created_at', 'modified_at'),
        { name: 'table_name', format: 'text', sinceFormat: 3 },
        { name: 'pinned', format: 'json', sinceFormat: 4 },
      ],
    },
  },
  auditActions: { view: ['view.create', 'view.default', 'view.delete', 'view.update'] },
});
