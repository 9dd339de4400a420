import { defineArea } from '../../kernel/area/area.ts';
import {
  plainColumns,
  textColumns,
  timeColumns,
  jsonColumns,
  userColumns,
} from '../../kernel/backup-sheets.ts';
import { recalculateTask } from './calculate/recalculate.ts';
import { entryExportHandlers, entryExportJob } from './export/export-job.ts';
import { deleteOrphanFilesTask } from './files/delete-orphan-files.ts';
import { entryFileHandlers } from './files/handlers.ts';
import { entryHistoryHandlers } from './history/handlers.ts';
import { restoreEntriesJob } from './history/restore.ts';
import { entryImportHandlers, importEntriesJob } from './import/import-job.ts';
import { undoEntryImportJob } from './import/undo-import.ts';
import { entryQueryHandlers } from './query/handlers.ts';
import { entryWriteHandlers } from './write/handlers.ts';
import { deleteEntriesJob, updateEntriesJob } from './write/job-kinds.ts';

export const entriesArea = defineArea({
  name: 'entries',
  handlers: {
    ...entryQueryHandlers,
    ...entryWriteHandlers,
    ...entryHistoryHandlers,
    ...entryFileHandlers,
    ...entryExportHandlers,
    ...entryImportHandlers,
  },
  jobKinds: [
    updateEntriesJob,
    deleteEntriesJob,
    restoreEntriesJob,
    entryExportJob,
    importEntriesJob,
    undoEntryImportJob,
  ],
  tasks: (context) => [recalculateTask(context.db), deleteOrphanFilesTask(context)],
  tables: {
    entry: { backup: { leftOut: 'written to a sheet per entry type' } },
    entry_multi: { backup: { leftOut: 'derived from values' } },
    entry_text: { backup: { leftOut: 'derived from values' } },
    entry_block: { backup: { leftOut: 'derived from rows' } },
    list_block: { backup: { leftOut: 'derived from rows' } },
    entry_type_version: { backup: { leftOut: 'tells the caches of the installation what changed' } },
    entry_change: { backup: { sheet: 'changes' } },
    cell_log: { backup: { sheet: 'cells' } },
    calc_queue: { backup: { sheet: 'waiting', columnsLeftOut: ['attempts', 'queued_at'] } },
    stored_file: {
      backup: { leftOut: 'written to the sheet of files' },
      retention: '7 days without an entry that names it',
    },
  },
  sheets: {
    changes: {
      name: 'history/entries.csv',
      kind: 'history',
      from: 'entry_change',
      keys: ['entry_id'],
      largeColumns: ['name', 'last_vals'],
      isByEntryType: true,
      columns: [
        ...plainColumns('entry_id', 'type_id'),
        ...textColumns('name'),
        ...timeColumns('created_at'),
        ...userColumns('created_by'),
        ...timeColumns('direct_at', 'any_at'),
        ...userColumns('modified_by'),
        ...timeColumns('deleted_at'),
        ...plainColumns('merged_into'),
        ...jsonColumns('last_vals'),
      ],
    },
    cells: {
      name: 'history/cells.csv',
      kind: 'history',
      from: 'cell_log',
      keys: ['entry_id', 'field_id', 'seq'],
      largeColumns: ['old', 'new'],
      isByEntryType: true,
      columns: [
        ...plainColumns('entry_id', 'field_id', 'seq'),
        ...timeColumns('at'),
        ...plainColumns('type_id'),
        ...jsonColumns('old', 'new'),
        ...userColumns('user_id', 'proxy_id'),
        ...plainColumns('cause'),
      ],
    },
    waiting: {
      name: 'history/to-calculate.csv',
      kind: 'history',
      // Entries with failed calculations too: they are calculated again after a restore, which finds the reasons.
      from: `(select q.site_id, q.entry_id, e.type_id from (
        select site_id, entry_id from calc_queue union select site_id, entry_id from calculation_failure) q
      join entry e using (site_id, entry_id))`,
      keys: ['entry_id'],
      isByEntryType: true,
      columns: plainColumns('entry_id'),
    },
  },
  auditActions: {
    'entry-type': [
      'cli.load',
      'entry.calculate',
      'entry.create',
      'entry.delete',
      'entry.restore',
      'entry.update',
    ],
    entry: ['entry.return'],
  },
});
