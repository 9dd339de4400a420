import { toast } from '../../ui/toast.ts';
import type { ExportSource } from './source.ts';

/**
 * Asks for the format and saves the rows as a file; a large export runs as a job.
 * @param loadSource may load the code of the export first
 */
export function openExport(loadSource: () => ExportSource | Promise<ExportSource>): void {
  void Promise.all([import('./ask-export.tsx'), loadSource()]).then(
    ([{ askExport }, source]) => askExport(source),
    () => toast({ title: 'The export could not be loaded', tone: 'bad' }),
  );
}

export { ExportFile, SaveJobFileButton } from './ExportFile.tsx';
export { saveJobFile } from './save-job-file.ts';
export type { ExportSource } from './source.ts';
export {
  deleteExport,
  exportsRevision,
  loadExports,
  loadExportFile,
  FILE_DAYS,
  MAX_STORED_BYTES,
  RECORD_DAYS,
} from './export-store.ts';
export type { ListSearchParams, StoredExportRecord } from './export-store.ts';
export { saveExportAgain } from './hand-over.ts';
