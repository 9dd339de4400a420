/** Worker thread that formats the rows of one export, so that the service answers requests meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { createRowFormatter, type RowFormat } from './stored-rows.ts';
import type { StoredRows } from './stored-values.ts';

const port = parentPort;
if (!port) throw new Error('format-worker.ts runs in a worker thread');

const format = createRowFormatter(workerData as RowFormat);
const encoder = new TextEncoder();

port.on('message', ({ rows, isFirst }: { rows: StoredRows; isFirst: boolean }) => {
  const formatted = format(rows, isFirst);
  const bytes = typeof formatted === 'string' ? encoder.encode(formatted) : formatted;
  port.postMessage(bytes, [bytes.buffer]);
});
