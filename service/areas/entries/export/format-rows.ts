/** Formats the rows of an export, many of them in a thread of their own. */
import { Worker } from 'node:worker_threads';
import { createRowFormatter, type RowFormat } from './stored-rows.ts';
import type { StoredRows } from './stored-values.ts';

/** The start of a thread takes longer than formatting fewer rows. */
const MIN_THREAD_ROWS = 2_000;
const MAX_THREAD_MEMORY_MB = 256;
/** A small young generation: rows live briefly, and memory that V8 has taken it returns late. */
const MAX_YOUNG_MEMORY_MB = 16;

interface RowFormatter {
  /** One call at a time. @throws Error if the thread ended */
  format(rows: StoredRows, isFirst: boolean): Promise<string | Uint8Array>;
  end(): Promise<void>;
}

/** Creates the formatter of an export of `total` rows; it must be ended. */
export function startFormatter(rowFormat: RowFormat, total: number): RowFormatter {
  if (total < MIN_THREAD_ROWS) {
    const format = createRowFormatter(rowFormat);
    return { format: async (rows, isFirst) => format(rows, isFirst), end: async () => undefined };
  }
  const worker = new Worker(new URL('./format-worker.ts', import.meta.url), {
    workerData: rowFormat,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB,
      maxYoungGenerationSizeMb: MAX_YOUNG_MEMORY_MB,
    },
  });
  worker.unref();
  let failure: Error | undefined;
  let answer: PromiseWithResolvers<Uint8Array> | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    answer?.reject(failure);
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread that formats rows ended')));
  worker.on('message', (bytes: Uint8Array) => answer?.resolve(bytes));
  return {
    format(rows, isFirst) {
      answer = Promise.withResolvers();
      // Avoids an unhandled rejection when the export fails before it awaits the rows.
      answer.promise.catch(() => undefined);
      if (failure) answer.reject(failure);
      else post(worker, rows, isFirst);
      return answer.promise;
    },
    async end() {
      await worker.terminate();
    },
  };
}

const encoder = new TextEncoder();

/** Sends the text as bytes, which are handed over: copied into the heap of the thread, texts would stay until it is collected. */
function post(worker: Worker, rows: StoredRows, isFirst: boolean): void {
  const text = typeof rows.text === 'string' ? encoder.encode(rows.text) : rows.text.slice();
  worker.postMessage({ rows: { ...rows, text }, isFirst }, [text.buffer]);
}
