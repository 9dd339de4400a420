import { expose } from 'comlink';
import { createWriter } from './writer.ts';
import type { Beginning, Writer } from './writer.ts';

let writer: Writer | undefined;

/** One worker writes one file. */
const api = {
  begin(beginning: Beginning): void {
    writer = createWriter(beginning);
  },
  add: (rows: Parameters<Writer['add']>[0]): Promise<void> | undefined => writer?.add(rows),
  end: (): Promise<Blob> | undefined => writer?.end(),
};

export type ExportWorker = typeof api;

expose(api);
