/** Starts the threads that read and fill documents, and ends those that take too much time or memory. */
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ApiError } from '../../../kernel/api-error.ts';
import type { ReportRecord } from '../language/values.ts';
import type { RenderOptions, RenderReply, RenderRequest } from './render-protocol.ts';
import type { InspectedDocument } from './text.ts';

const RENDER_LIMITS = { memoryMb: 256, timeMs: 30_000 };
/** Threads of requests that wait for them; reports in the background have one more. */
const MAX_THREADS = 2;
/** Messages with entries that may wait for the thread. */
const MAX_UNANSWERED = 8;

/** A template that is open in a thread. */
export interface TemplateRenderer {
  /** Adds entries to the document that `finish` fills. Resolves when more may be added. */
  add(entries: readonly ReportRecord[]): Promise<void>;
  finish(shared: ReportRecord): Promise<Uint8Array>;
  /** Fills a document for each entry. */
  renderEach(shared: ReportRecord, entries: readonly ReportRecord[]): Promise<readonly Uint8Array[]>;
}

type Send = (request: RenderRequest) => Promise<RenderReply>;

/** The file is refused; the message names the reason. */
const refuse = (message: string): ApiError => new ApiError(400, message, [{ path: 'file', message }]);

const TOO_SLOW = `takes more than ${RENDER_LIMITS.timeMs / 1_000} seconds`;
const TOO_LARGE = `needs more than ${RENDER_LIMITS.memoryMb} MiB of memory`;

/**
 * Runs `work` with a thread of its own, which ends with it.
 * @throws ApiError 400 when the thread exceeds its limits; the reason of `signal`
 */
async function withThread<T>(
  work: (send: Send) => Promise<T>,
  { signal, timeMs = RENDER_LIMITS.timeMs }: { signal?: AbortSignal | undefined; timeMs?: number },
): Promise<T> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./render-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: RENDER_LIMITS.memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  worker.on('error', (error: Error) => {
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    ended.reject(isMemory ? refuse(`The document ${TOO_LARGE}.`) : error);
  });
  worker.on('exit', () => ended.reject(new Error('The thread that fills documents ended')));
  const onAbort = () => ended.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  // The thread answers in the order of the requests.
  const waiting: ((reply: RenderReply) => void)[] = [];
  worker.on('message', (reply: RenderReply) => waiting.shift()?.(reply));
  const send: Send = async (request) => {
    const reply = Promise.withResolvers<RenderReply>();
    waiting.push(reply.resolve);
    const timer = setTimeout(() => ended.reject(refuse(`The document ${TOO_SLOW}.`)), timeMs);
    try {
      worker.postMessage(request, []);
      const result = await Promise.race([reply.promise, ended.promise]);
      if (result.kind === 'refused') throw refuse(result.message);
      if (result.kind === 'failed') throw new Error(`The document cannot be filled: ${result.message}`);
      return result;
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    return await work(send);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}

const limitThreads = pLimit(MAX_THREADS);

/** Reads and checks a file. @throws ApiError 400 with the reason for which it is refused */
export const inspectFile = (
  bytes: Uint8Array,
  options: { signal?: AbortSignal; timeMs?: number } = {},
): Promise<InspectedDocument> =>
  limitThreads(() =>
    withThread(async (send) => {
      const reply = await send({ kind: 'inspect', bytes });
      if (reply.kind !== 'inspected') throw new Error(`The thread answered ${reply.kind}`);
      return reply.document;
    }, options),
  );

function getDocuments(reply: RenderReply): readonly Uint8Array[] {
  if (reply.kind !== 'documents') throw new Error(`The thread answered ${reply.kind}`);
  return reply.documents;
}

/** Opens a template in a thread of its own while `work` fills it. @throws ApiError 400 when the thread exceeds its limits */
export const withTemplate = <T>(
  bytes: Uint8Array,
  { signal, ...options }: RenderOptions & { signal?: AbortSignal | undefined },
  work: (renderer: TemplateRenderer) => Promise<T>,
): Promise<T> =>
  withThread(
    async (send) => {
      // Entries are read while the thread starts and while it takes those before.
      const unanswered: Promise<RenderReply>[] = [];
      const post = (request: RenderRequest): void => {
        const reply = send(request);
        reply.catch(() => undefined);
        unanswered.push(reply);
      };
      const ask = async (request: RenderRequest): Promise<readonly Uint8Array[]> => {
        await Promise.all(unanswered.splice(0));
        return getDocuments(await send(request));
      };
      post({ kind: 'open', bytes, options });
      const result = await work({
        async add(entries) {
          post({ kind: 'add', entries });
          if (unanswered.length > MAX_UNANSWERED) await unanswered.shift();
        },
        async finish(shared) {
          const [document] = await ask({ kind: 'finish', shared });
          if (!document) throw new Error('The thread answered no document');
          return document;
        },
        renderEach: (shared, entries) => ask({ kind: 'each', shared, entries }),
      });
      await Promise.all(unanswered);
      return result;
    },
    { signal },
  );

/** Like `withTemplate`, for requests that wait: few at the same time. */
export const withTemplateOfRequest: typeof withTemplate = (bytes, options, work) =>
  limitThreads(() => withTemplate(bytes, options, work));
