/** Worker thread that formats the rows of one export, so that the service answers requests meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FormatRequest } from './format-rows.ts';
import { createRowFormatter, type RowFormat } from './stored-rows.ts';

const port = parentPort;
if (!port) throw new Error('format-worker.ts runs in a worker thread');

const format = createRowFormatter(workerData as RowFormat);

port.on('message', ({ rows, isFirst, spare }: FormatRequest) => {
  const bytes = format(rows, isFirst, spare);
  port.postMessage(bytes, [bytes.buffer]);
});
