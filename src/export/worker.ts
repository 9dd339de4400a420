import { expose } from 'comlink';
import { standIn } from './stand-in.ts';
import { createWriter } from './writer.ts';
import type { Beginning, Writer } from './writer.ts';

Object.assign(globalThis, { Worker: standIn(() => new CompressionStream('deflate-raw')) });

let writer: Writer | undefined;

/** One worker writes one file. */
const api = {
  begin(beginning: Beginning): void {
    writer = createWriter(beginning);
  },
  add: (rows: Parameters<Writer['add']>[0]): void => writer?.add(rows),
  end: (): Promise<Blob> | undefined => writer?.end(),
};

export type ExportWorker = typeof api;

expose(api);
