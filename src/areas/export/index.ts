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

export type { ExportSource } from './source.ts';
