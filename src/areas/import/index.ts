export type { ImportExecutor, RowBatch } from './model/executor.ts';
export { createProgress, isFinished, loadImports } from './model/job-store.ts';
export type { ImportDescription, ImportJob, RowProgress, RowResult } from './model/job-store.ts';
export { closeImport, createImportJob, startImport } from './model/job.ts';
export { createPlannedRows, loadConfirmedRows } from './model/planned-rows.ts';
export { buildFailedFile, saveFailed, saveProblems, saveReport } from './model/report.ts';
export { countRows, getImportRun, getRowStatus, removeImportRun, useImportRun } from './model/run.ts';
export type { ImportRun, RowStatus } from './model/run.ts';
export { openWorkerClient } from './model/worker-client.ts';
