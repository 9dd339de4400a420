export { readIds } from './export/export-ids.store.ts';
export { createExportResolver } from './export/export-job.ts';
export { withExportSnapshot, type ExportSnapshot } from './export/export-rows.ts';
export {
  discardContents,
  getContentName,
  renewContent,
  stageContents,
  storeContents,
} from './files/content.ts';
export { recalculateTask } from './calculate/recalculate.ts';
export { restoreEntries } from './history/restore.ts';
export { lockReferencedEntries } from './write/locks.store.ts';
export { createNamedEntries } from './write/create-named.ts';
export { entryHistoryHandlers } from './history/handlers.ts';
export { countMatchesAmong } from './query/matching.store.ts';
export { createQueryContext, UTC } from './query/resolve-query.ts';
export { entryQueryHandlers } from './query/handlers.ts';
