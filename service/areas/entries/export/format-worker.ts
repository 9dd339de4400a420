/** Worker thread that formats the rows of one export, so that the service answers requests meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { createRowFormatter, type RowFormat, type StoredRows } from './stored-rows.ts';

const port = parentPort;
if (!port) throw new Error('format-worker.ts runs in a worker thread');

const format = createRowFormatter(workerData as RowFormat);
const encoder = new TextEncoder();

port.on('message', ({ rows, isFirst }: { rows: StoredRows; isFirst: boolean }) => {
  const bytes = encoder.encode(format(rows, isFirst));
  port.postMessage(bytes, [bytes.buffer]);
});
