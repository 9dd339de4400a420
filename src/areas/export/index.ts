import type { QueryClient } from '@tanstack/react-query';
import { toast } from '../../ui/toast.ts';
import type { ExportSource } from './source.ts';

/**
 * Asks for the format and starts a job of the service that makes the file; a small file is saved as soon as it is ready.
 * @param loadSource may load the code of the export first
 */
export function openExport(
  client: QueryClient,
  loadSource: () => ExportSource | Promise<ExportSource>,
): void {
  void Promise.all([import('./ask-export.tsx'), loadSource()]).then(
    ([{ askExport }, source]) => askExport(client, source),
    () => toast({ title: 'The export could not be loaded', tone: 'bad' }),
  );
}

export type { ExportSource } from './source.ts';
