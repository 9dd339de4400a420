// The close of the month and who has no import of it yet.
export { importSettingsQuery, importStatusQuery } from './pages/queries.ts';
export { listWithoutImport, rankBySilence } from './pages/silence.ts';
export { formatTimeToClose, getMonthClose } from './planner/month-close.ts';
