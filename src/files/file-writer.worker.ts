import { expose } from 'comlink';
import { createFileWriter } from './file-writer.ts';
import type { FileWriterOptions, FileWriter } from './file-writer.ts';

let writer: FileWriter | undefined;

/** Each worker writes one file. */
const workerApi = {
  begin(beginning: FileWriterOptions): void {
    writer = createFileWriter(beginning);
  },
  add: (rows: Parameters<FileWriter['add']>[0]): Promise<void> | undefined => writer?.add(rows),
  end: (): Promise<Blob> | undefined => writer?.end(),
};

export type FileWriterWorker = typeof workerApi;

expose(workerApi);
