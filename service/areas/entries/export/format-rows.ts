/** Formats the rows of an export, many of them in a thread of their own. */
import { Worker } from 'node:worker_threads';
import { createRowFormatter, type RowFormat } from './stored-rows.ts';
import type { StoredRows } from './stored-values.ts';

/** The start of a thread takes longer than formatting fewer rows. */
const MIN_THREAD_ROWS = 2_000;
const MAX_THREAD_MEMORY_MB = 256;
/** A small young generation: rows live briefly, and memory that V8 has taken it returns late. */
const MAX_YOUNG_MEMORY_MB = 16;

/** Message to the thread. */
export interface FormatRequest {
  rows: StoredRows;
  /** Whether no row precedes them. */
  isFirst: boolean;
  /** Memory for the answer. */
  spare: Uint8Array<ArrayBuffer> | undefined;
}

interface RowFormatter {
  /** One call at a time; the bytes of the rows may be handed over to a thread. @throws Error if the thread ended */
  format(rows: StoredRows, isFirst: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** Takes formatted rows back that are used no more, so that their memory is used again. */
  recycle(bytes: Uint8Array<ArrayBuffer>): void;
  end(): Promise<void>;
}

/** Creates the formatter of an export of `total` rows; it must be ended. */
export function startFormatter(rowFormat: RowFormat, total: number): RowFormatter {
  if (total < MIN_THREAD_ROWS) {
    const format = createRowFormatter(rowFormat);
    return {
      format: async (rows, isFirst) => format(rows, isFirst),
      recycle: () => undefined,
      end: async () => undefined,
    };
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
  let answer: PromiseWithResolvers<Uint8Array<ArrayBuffer>> | undefined;
  let spare: Uint8Array<ArrayBuffer> | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    answer?.reject(failure);
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread that formats rows ended')));
  worker.on('message', (bytes: Uint8Array<ArrayBuffer>) => answer?.resolve(bytes));
  return {
    format(rows, isFirst) {
      answer = Promise.withResolvers();
      // Avoids an unhandled rejection when the export fails before it awaits the rows.
      answer.promise.catch(() => undefined);
      if (failure) answer.reject(failure);
      else post(worker, { rows, isFirst, spare });
      spare = undefined;
      return answer.promise;
    },
    recycle: (bytes) => (spare = bytes),
    async end() {
      await worker.terminate();
    },
  };
}

/** Hands the bytes over to the thread: their memory is not left to the garbage collection of this one. */
function post(worker: Worker, request: FormatRequest): void {
  const { texts, users, references } = request.rows;
  const bytes = [...texts, users, references, ...(request.spare ? [request.spare] : [])];
  worker.postMessage(
    request,
    bytes.map(({ buffer }) => buffer),
  );
}
