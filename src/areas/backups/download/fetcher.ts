import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Destination of the downloaded bytes. */
export interface FileWriter {
  write: (bytes: Uint8Array<ArrayBuffer>, at: number) => Promise<void>;
  /** Finishes the file. */
  complete: () => Promise<void>;
  /** Deletes everything written so far. */
  discard: () => Promise<void>;
}

/** Outcome of one attempt. Received bytes are kept: the next attempt continues after them. */
export type FetchOutcome =
  | { outcome: 'complete'; sha256: string; received: number }
  | {
      outcome: 'paused' | Exclude<ResponseVerdict, 'append' | 'restart' | 'retry'>;
      reason?: string | undefined;
    }
  /** The connection was lost, or the service was unavailable. */
  | { outcome: 'interrupted'; reason: string }
  /** The destination could not be written. */
  | { outcome: 'writeFailed'; reason: string };

export interface Fetcher {
  /** Fetches the missing bytes. */
  fetchRest: (url: string) => Promise<FetchOutcome>;
  pause: () => void;
}

interface FetcherOptions {
  writer: FileWriter;
  /** Size in bytes from the list; if undefined, the length of the response is used. */
  size: number | undefined;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  onProgress: (received: number) => void;
}

/** A connection without data for this time is aborted. */
const IDLE_TIMEOUT_MS = 30_000;
const PROGRESS_INTERVAL_MS = 150;

const PAUSED = new Error('Paused');
const getMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
// The message of a failed fetch differs by browser and has no details.
const formatNetworkError = (thrown: unknown): string =>
  thrown instanceof TypeError ? 'The connection was lost' : getMessage(thrown);

/** Downloads one file in any number of attempts and computes its SHA-256 while writing. */
export function createFetcher({ writer, size, fetch: ask, onProgress }: FetcherOptions): Fetcher {
  const part: ReceivedPart = { received: 0, etag: undefined };
  let hash = sha256.create();
  let pauseController = new AbortController();
  let reportedAt = 0;
  let progressTimer: ReturnType<typeof setTimeout> | undefined;

  function startResponse(response: Response): ResponseVerdict {
    const etag = response.headers.get('etag');
    const verdict = judgeResponse(part, {
      status: response.status,
      etag,
      contentRange: response.headers.get('content-range'),
    });
    if (verdict === 'restart') {
      part.received = 0;
      hash = sha256.create();
    }
    if (verdict === 'append') part.etag ??= etag ?? undefined;
    return verdict;
  }

  async function appendBytes(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await writer.write(bytes, part.received);
    hash.update(bytes);
    part.received += bytes.length;
    const left = reportedAt + PROGRESS_INTERVAL_MS - Date.now();
    if (left <= 0) reportProgress();
    // The last progress is reported even if no more data follows.
    else progressTimer ??= setTimeout(reportProgress, left);
  }

  function reportProgress(): void {
    clearTimeout(progressTimer);
    progressTimer = undefined;
    reportedAt = Date.now();
    onProgress(part.received);
  }

  /** Writes the body; returns an outcome if that fails. */
  async function writeBody(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    alive: () => void,
  ): Promise<FetchOutcome | undefined> {
    const reader = body.getReader();
    for (;;) {
      // Each chunk is written before the next is read, to limit memory.
      const { done, value } = await reader.read();
      if (done) return undefined;
      alive();
      try {
        await appendBytes(value);
      } catch (thrown) {
        await reader.cancel().catch(() => undefined);
        return { outcome: 'writeFailed', reason: getMessage(thrown) };
      }
    }
  }

  async function attempt(url: string, signal: AbortSignal, alive: () => void): Promise<FetchOutcome> {
    // The link contains its authorization: no cookies are sent.
    const response = await ask(url, {
      headers: buildRangeHeaders(part),
      signal,
      cache: 'no-store',
      credentials: 'omit',
    });
    const verdict = startResponse(response);
    if (verdict === 'retry') return { outcome: 'interrupted', reason: await readErrorMessage(response) };
    if (verdict !== 'append' && verdict !== 'restart')
      return { outcome: verdict, reason: await readErrorMessage(response) };
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = size ?? (Number.isNaN(length) ? undefined : part.received + length);
    const fault = response.body ? await writeBody(response.body, alive) : undefined;
    reportProgress();
    if (fault) return fault;
    if (total !== undefined && part.received < total)
      return { outcome: 'interrupted', reason: 'The connection ended before the file was complete' };
    return { outcome: 'complete', sha256: bytesToHex(hash.digest()), received: part.received };
  }

  return {
    async fetchRest(url) {
      pauseController = new AbortController();
      const idleController = new AbortController();
      let timer = setTimeout(() => idleController.abort(), IDLE_TIMEOUT_MS);
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => idleController.abort(), IDLE_TIMEOUT_MS);
      };
      const { signal } = pauseController;
      try {
        return await attempt(url, AbortSignal.any([signal, idleController.signal]), alive);
      } catch (thrown) {
        if (signal.aborted) return { outcome: 'paused' };
        return {
          outcome: 'interrupted',
          reason: idleController.signal.aborted
            ? 'No data was received for 30 seconds'
            : formatNetworkError(thrown),
        };
      } finally {
        clearTimeout(timer);
        clearTimeout(progressTimer);
        progressTimer = undefined;
      }
    },
    pause: () => pauseController.abort(PAUSED),
  };
}

/** Message of an error response (shapes 1). */
async function readErrorMessage(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof message === 'string' ? message : `The service answered with status ${response.status}`;
}

/** The part of a file received so far. */
export interface ReceivedPart {
  received: number;
  /** Entity tag of the first response; undefined if it had none. */
  etag: string | undefined;
}

/** Properties of a response that decide whether its bytes may be appended. */
interface ResponseHead {
  status: number;
  etag: string | null;
  contentRange: string | null;
}

/**
 * How to handle a response. `append`: its bytes continue the file; `restart`: it is the same file from the beginning;
 * `changed`: the file is a different one; `linkExpired`; `wrongAddress`: the link is bound to another IP address (spec
 * 4.3); `refused`: retrying does not help; `retry`: retrying may help.
 */
export type ResponseVerdict =
  | 'append'
  | 'restart'
  | 'changed'
  | 'linkExpired'
  | 'wrongAddress'
  | 'refused'
  | 'retry';

const WEAK = /^W\//;

/** Headers that request the rest of an unchanged file. A weak tag cannot be used in If-Range (RFC 9110, 13.1.5). */
export function buildRangeHeaders({ received, etag }: ReceivedPart): Record<string, string> {
  if (received === 0) return {};
  const range = { Range: `bytes=${received}-` };
  return etag === undefined || WEAK.test(etag) ? range : { ...range, 'If-Range': etag };
}

const parseRangeStart = (contentRange: string | null): number | undefined => {
  const [, start] = /^bytes (\d+)-/.exec(contentRange ?? '') ?? [];
  return start === undefined ? undefined : Number(start);
};

/** Decides how to handle the response to a request for the rest of a file. */
export function judgeResponse(
  { received, etag }: ReceivedPart,
  { status, ...head }: ResponseHead,
): ResponseVerdict {
  const isOtherFile = etag !== undefined && head.etag !== null && head.etag !== etag;
  switch (status) {
    case 200:
      if (received === 0) return 'append';
      return etag !== undefined && head.etag === etag ? 'restart' : 'changed';
    case 206:
      return isOtherFile || parseRangeStart(head.contentRange) !== received ? 'changed' : 'append';
    case 403:
      return 'wrongAddress';
    case 404:
    case 410:
      return 'linkExpired';
    case 416:
      return 'changed';
    default:
      return status === 429 || status >= 500 ? 'retry' : 'refused';
  }
}
