import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { judge, rangeHeaders } from './range.ts';
import type { Place, Verdict } from './range.ts';

/** Where the bytes of a file go. */
export interface Sink {
  write: (bytes: Uint8Array<ArrayBuffer>, at: number) => Promise<void>;
  /** The file is whole. */
  close: () => Promise<void>;
  /** Nothing of it stays. */
  abandon: () => Promise<void>;
}

/** How one try ended. Whatever is here stays here: the next try goes on behind it. */
export type Pulled =
  | { end: 'whole'; sha256: string; received: number }
  | { end: 'paused' | Exclude<Verdict, 'take' | 'over' | 'later'>; why?: string | undefined }
  /** The connection broke off, or the service could not answer. */
  | { end: 'cut'; why: string }
  /** The disk takes no more. */
  | { end: 'unwritable'; why: string };

export interface Fetcher {
  /** Fetches what is missing. */
  pull: (url: string) => Promise<Pulled>;
  pause: () => void;
}

interface Means {
  sink: Sink;
  /** The size that the list told; the answer's own length where it told none. */
  size: number | undefined;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  onProgress: (received: number) => void;
}

// A connection that says nothing for so long is given up.
const SILENCE_MS = 30_000;
const PROGRESS_MS = 150;

const PAUSED = new Error('Paused');
const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
// Browsers say only that it failed, each in its way.
const cutWords = (thrown: unknown): string =>
  thrown instanceof TypeError ? 'The connection broke off' : wordsOf(thrown);

/** Streams one file to its place, in as many tries as it takes, and hashes it on the way (no byte is read twice). */
export function createFetcher({ sink, size, fetch: ask, onProgress }: Means): Fetcher {
  const place: Place = { received: 0, etag: undefined };
  let hash = sha256.create();
  let stopping = new AbortController();
  let toldAt = 0;
  let soon: ReturnType<typeof setTimeout> | undefined;

  function begin(response: Response): Verdict {
    const etag = response.headers.get('etag');
    const verdict = judge(place, {
      status: response.status,
      etag,
      contentRange: response.headers.get('content-range'),
    });
    if (verdict === 'over') {
      place.received = 0;
      hash = sha256.create();
    }
    if (verdict === 'take') place.etag ??= etag ?? undefined;
    return verdict;
  }

  async function take(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await sink.write(bytes, place.received);
    hash.update(bytes);
    place.received += bytes.length;
    const left = toldAt + PROGRESS_MS - Date.now();
    if (left <= 0) tell();
    // What came last is told too, when nothing follows it.
    else soon ??= setTimeout(tell, left);
  }

  function tell(): void {
    clearTimeout(soon);
    soon = undefined;
    toldAt = Date.now();
    onProgress(place.received);
  }

  /** What keeps the bytes from being written, which no other try would change; undefined at the end. */
  async function drain(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    alive: () => void,
  ): Promise<Pulled | undefined> {
    const reader = body.getReader();
    for (;;) {
      // Each part is written before the next is asked for: that keeps the memory small.
      // oxlint-disable-next-line no-await-in-loop
      const { done, value } = await reader.read();
      if (done) return undefined;
      alive();
      try {
        // oxlint-disable-next-line no-await-in-loop
        await take(value);
      } catch (thrown) {
        await reader.cancel().catch(() => undefined);
        return { end: 'unwritable', why: wordsOf(thrown) };
      }
    }
  }

  async function attempt(url: string, signal: AbortSignal, alive: () => void): Promise<Pulled> {
    // The link is its own right: no cookie goes along.
    const response = await ask(url, {
      headers: rangeHeaders(place),
      signal,
      cache: 'no-store',
      credentials: 'omit',
    });
    const verdict = begin(response);
    if (verdict === 'later') return { end: 'cut', why: await messageOf(response) };
    if (verdict !== 'take' && verdict !== 'over') return { end: verdict, why: await messageOf(response) };
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = size ?? (Number.isNaN(length) ? undefined : place.received + length);
    const fault = response.body ? await drain(response.body, alive) : undefined;
    tell();
    if (fault) return fault;
    if (total !== undefined && place.received < total)
      return { end: 'cut', why: 'The connection ended before the file did' };
    return { end: 'whole', sha256: bytesToHex(hash.digest()), received: place.received };
  }

  return {
    async pull(url) {
      stopping = new AbortController();
      const silence = new AbortController();
      let timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
      };
      const { signal } = stopping;
      try {
        return await attempt(url, AbortSignal.any([signal, silence.signal]), alive);
      } catch (thrown) {
        if (signal.aborted) return { end: 'paused' };
        return { end: 'cut', why: silence.signal.aborted ? 'Nothing came for 30 seconds' : cutWords(thrown) };
      } finally {
        clearTimeout(timer);
        clearTimeout(soon);
        soon = undefined;
      }
    },
    pause: () => stopping.abort(PAUSED),
  };
}

/** The words of an error body (shapes 1). */
async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const said = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof said === 'string' ? said : `The service answered with status ${response.status}`;
}
