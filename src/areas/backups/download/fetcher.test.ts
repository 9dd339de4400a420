import { createHash, randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createFetcher, judgeResponse, buildRangeHeaders } from './fetcher.ts';
import type { FileWriter } from './fetcher.ts';

const FILE = Buffer.from(randomBytes(300_000));
const HASH = createHash('sha256').update(FILE).digest('hex');
const ETAG = '"one"';

interface RequestHeaders {
  range: string | null;
  ifRange: string | null;
}

interface Behaviour {
  /** Breaks the connection after this number of bytes. */
  cutAfter?: number;
  etag?: string;
  status?: number;
  /** Ignores the requested range. */
  whole?: boolean;
}

/** A fetcher with a fake service that responds with one behaviour per request. */
function setUp(...behaviours: Behaviour[]) {
  const requests: RequestHeaders[] = [];
  const disk = Buffer.alloc(FILE.length);
  const writer: FileWriter = {
    write: async (bytes, at) => {
      disk.set(bytes, at);
    },
    complete: async () => undefined,
    discard: async () => undefined,
  };
  const fetch = async (_url: string, { headers, signal }: RequestInit) => {
    const sent = new Headers(headers);
    requests.push({ range: sent.get('range'), ifRange: sent.get('if-range') });
    const { cutAfter, etag = ETAG, status, whole = false } = behaviours.shift() ?? {};
    if (status !== undefined) return Response.json({ message: `No: ${status}` }, { status });
    const from = whole ? 0 : Number(/bytes=(\d+)-/.exec(sent.get('range') ?? '')?.[1] ?? 0);
    let at = from;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (signal?.aborted) return controller.error(new DOMException('Aborted', 'AbortError'));
        if (cutAfter !== undefined && at - from >= cutAfter)
          return controller.error(new TypeError('interrupted'));
        if (at >= FILE.length) return controller.close();
        controller.enqueue(new Uint8Array(FILE.subarray(at, at + 10_000)));
        at += 10_000;
      },
    });
    const part: Record<string, string> =
      from > 0 ? { 'content-range': `bytes ${from}-${FILE.length - 1}/${FILE.length}` } : {};
    return new Response(body, { status: from > 0 ? 206 : 200, headers: { etag, ...part } });
  };
  const onProgress = vi.fn<(received: number) => void>();
  return {
    requests,
    disk,
    onProgress,
    fetcher: createFetcher({ writer, size: FILE.length, fetch, onProgress }),
  };
}

test('writes and hashes a file received in one response', async () => {
  const { fetcher, disk, requests, onProgress } = setUp({});
  expect(await fetcher.fetchRest('/link')).toEqual({
    outcome: 'complete',
    sha256: HASH,
    received: FILE.length,
  });
  expect(disk.equals(FILE)).toBe(true);
  expect(requests).toEqual([{ range: null, ifRange: null }]);
  expect(onProgress).toHaveBeenLastCalledWith(FILE.length);
});

test('continues an unchanged file after two interruptions, with the same hash', async () => {
  const { fetcher, disk, requests } = setUp({ cutAfter: 50_000 }, { cutAfter: 100_000 }, {});
  expect(await fetcher.fetchRest('/link')).toMatchObject({ outcome: 'interrupted' });
  expect(await fetcher.fetchRest('/link')).toMatchObject({ outcome: 'interrupted' });
  expect(await fetcher.fetchRest('/other')).toMatchObject({ outcome: 'complete', sha256: HASH });
  expect(disk.equals(FILE)).toBe(true);
  expect(requests.slice(1)).toEqual([
    { range: 'bytes=50000-', ifRange: ETAG },
    { range: 'bytes=150000-', ifRange: ETAG },
  ]);
});

test('reports a changed file instead of appending it', async () => {
  const { fetcher } = setUp({ cutAfter: 50_000 }, { etag: '"two"', whole: true });
  await fetcher.fetchRest('/link');
  expect(await fetcher.fetchRest('/link')).toMatchObject({ outcome: 'changed' });
});

test('starts over if the service does not support ranges', async () => {
  const { fetcher, disk } = setUp({ cutAfter: 50_000 }, { whole: true });
  await fetcher.fetchRest('/link');
  expect(await fetcher.fetchRest('/link')).toMatchObject({ outcome: 'complete', sha256: HASH });
  expect(disk.equals(FILE)).toBe(true);
});

test('reports the message of a refusal', async () => {
  const { fetcher } = setUp({ status: 403 }, { status: 404 }, { status: 503 });
  expect(await fetcher.fetchRest('/link')).toEqual({ outcome: 'wrongAddress', reason: 'No: 403' });
  expect(await fetcher.fetchRest('/link')).toEqual({ outcome: 'linkExpired', reason: 'No: 404' });
  expect(await fetcher.fetchRest('/link')).toEqual({ outcome: 'interrupted', reason: 'No: 503' });
});

test('pauses in the middle of a response and continues later', async () => {
  const { fetcher, onProgress } = setUp({}, {});
  onProgress.mockImplementationOnce(() => fetcher.pause());
  expect(await fetcher.fetchRest('/link')).toEqual({ outcome: 'paused' });
  expect(await fetcher.fetchRest('/link')).toMatchObject({ outcome: 'complete', sha256: HASH });
});

test('reports the last progress before a connection becomes idle', async () => {
  vi.useFakeTimers();
  const progress: number[] = [];
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const wire = writable.getWriter();
  const writer = {
    write: async () => undefined,
    complete: async () => undefined,
    discard: async () => undefined,
  };
  const fetcher = createFetcher({
    writer,
    size: 100,
    fetch: async () => new Response(readable),
    onProgress: (received) => progress.push(received),
  });
  const pulled = fetcher.fetchRest('/link');
  for (const part of ['abc', 'defg']) void wire.write(new TextEncoder().encode(part));
  await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
  expect(progress).toEqual([3, 7]);
  await wire.close();
  expect(await pulled).toMatchObject({ outcome: 'interrupted' });
});

test('reports a write error', async () => {
  const fetcher = createFetcher({
    writer: {
      write: () => Promise.reject(new Error('Full')),
      complete: async () => undefined,
      discard: async () => undefined,
    },
    size: 3,
    fetch: async () => new Response('abc'),
    onProgress: () => undefined,
  });
  expect(await fetcher.fetchRest('/link')).toEqual({ outcome: 'writeFailed', reason: 'Full' });
});

const answer = (status: number, etag: string | null = null, contentRange: string | null = null) => ({
  status,
  etag,
  contentRange,
});

test('requests the rest, with If-Range only for a strong entity tag', () => {
  expect(buildRangeHeaders({ received: 0, etag: '"a"' })).toEqual({});
  expect(buildRangeHeaders({ received: 7, etag: '"a"' })).toEqual({ Range: 'bytes=7-', 'If-Range': '"a"' });
  expect(buildRangeHeaders({ received: 7, etag: 'W/"a"' })).toEqual({ Range: 'bytes=7-' });
  expect(buildRangeHeaders({ received: 7, etag: undefined })).toEqual({ Range: 'bytes=7-' });
});

test.each([
  [0, '"a"', answer(200), 'append'],
  [7, '"a"', answer(206, '"a"', 'bytes 7-9/10'), 'append'],
  [7, undefined, answer(206, null, 'bytes 7-9/10'), 'append'],
  [7, '"a"', answer(206, '"a"', 'bytes 0-9/10'), 'changed'],
  [7, 'W/"a"', answer(206, 'W/"b"', 'bytes 7-9/10'), 'changed'],
  [7, '"a"', answer(200, '"b"'), 'changed'],
  [7, undefined, answer(200), 'changed'],
  [7, '"a"', answer(200, '"a"'), 'restart'],
  [7, '"a"', answer(416), 'changed'],
  [0, undefined, answer(403), 'wrongAddress'],
  [0, undefined, answer(404), 'linkExpired'],
  [0, undefined, answer(409), 'refused'],
  [0, undefined, answer(429), 'retry'],
  [0, undefined, answer(503), 'retry'],
] as const)('%d bytes of %s received, response %o: %s', (received, etag, head, verdict) => {
  expect(judgeResponse({ received, etag }, head)).toBe(verdict);
});
