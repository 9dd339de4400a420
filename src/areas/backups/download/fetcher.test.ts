import { createHash, randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createFetcher } from './fetcher.ts';
import type { Sink } from './fetcher.ts';

const FILE = Buffer.from(randomBytes(300_000));
const HASH = createHash('sha256').update(FILE).digest('hex');
const ETAG = '"one"';

interface Asked {
  range: string | null;
  ifRange: string | null;
}

interface Behaviour {
  /** Breaks the connection after so many bytes of this answer. */
  cutAfter?: number;
  etag?: string;
  status?: number;
  /** Answers with the whole file whatever is asked. */
  whole?: boolean;
}

/** A service that hands out the file as told, one behaviour for each call. */
function serving(...behaviours: Behaviour[]) {
  const asked: Asked[] = [];
  const disk = Buffer.alloc(FILE.length);
  const sink: Sink = {
    write: async (bytes, at) => {
      disk.set(bytes, at);
    },
    close: async () => undefined,
    abandon: async () => undefined,
  };
  const fetch = async (_url: string, { headers, signal }: RequestInit) => {
    const sent = new Headers(headers);
    asked.push({ range: sent.get('range'), ifRange: sent.get('if-range') });
    const { cutAfter, etag = ETAG, status, whole = false } = behaviours.shift() ?? {};
    if (status !== undefined) return Response.json({ message: `No: ${status}` }, { status });
    const from = whole ? 0 : Number(/bytes=(\d+)-/.exec(sent.get('range') ?? '')?.[1] ?? 0);
    let at = from;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (signal?.aborted) return controller.error(new DOMException('Aborted', 'AbortError'));
        if (cutAfter !== undefined && at - from >= cutAfter) return controller.error(new TypeError('cut'));
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
  return { asked, disk, onProgress, fetcher: createFetcher({ sink, size: FILE.length, fetch, onProgress }) };
}

test('a file that comes in one go is written and hashed', async () => {
  const { fetcher, disk, asked, onProgress } = serving({});
  expect(await fetcher.pull('/link')).toEqual({ end: 'whole', sha256: HASH, received: FILE.length });
  expect(disk.equals(FILE)).toBe(true);
  expect(asked).toEqual([{ range: null, ifRange: null }]);
  expect(onProgress).toHaveBeenLastCalledWith(FILE.length);
});

test('cut twice, it goes on where it was, if the file is the same, and has the same hash', async () => {
  const { fetcher, disk, asked } = serving({ cutAfter: 50_000 }, { cutAfter: 100_000 }, {});
  expect(await fetcher.pull('/link')).toMatchObject({ end: 'cut' });
  expect(await fetcher.pull('/link')).toMatchObject({ end: 'cut' });
  expect(await fetcher.pull('/other')).toMatchObject({ end: 'whole', sha256: HASH });
  expect(disk.equals(FILE)).toBe(true);
  expect(asked.slice(1)).toEqual([
    { range: 'bytes=50000-', ifRange: ETAG },
    { range: 'bytes=150000-', ifRange: ETAG },
  ]);
});

test('a file that has changed meanwhile is told, not appended', async () => {
  const { fetcher } = serving({ cutAfter: 50_000 }, { etag: '"two"', whole: true });
  await fetcher.pull('/link');
  expect(await fetcher.pull('/link')).toMatchObject({ end: 'changed' });
});

test('a service without ranges begins again, and the hash is right', async () => {
  const { fetcher, disk } = serving({ cutAfter: 50_000 }, { whole: true });
  await fetcher.pull('/link');
  expect(await fetcher.pull('/link')).toMatchObject({ end: 'whole', sha256: HASH });
  expect(disk.equals(FILE)).toBe(true);
});

test('what the service refuses is said in its words', async () => {
  const { fetcher } = serving({ status: 403 }, { status: 404 }, { status: 503 });
  expect(await fetcher.pull('/link')).toEqual({ end: 'foreign', why: 'No: 403' });
  expect(await fetcher.pull('/link')).toEqual({ end: 'ended', why: 'No: 404' });
  expect(await fetcher.pull('/link')).toEqual({ end: 'cut', why: 'No: 503' });
});

test('paused in the middle, it ends as paused and goes on later', async () => {
  const { fetcher, onProgress } = serving({}, {});
  onProgress.mockImplementationOnce(() => fetcher.pause());
  expect(await fetcher.pull('/link')).toEqual({ end: 'paused' });
  expect(await fetcher.pull('/link')).toMatchObject({ end: 'whole', sha256: HASH });
});

test('what came last before a connection falls silent is told', async () => {
  vi.useFakeTimers();
  const told: number[] = [];
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const wire = writable.getWriter();
  const sink = { write: async () => undefined, close: async () => undefined, abandon: async () => undefined };
  const fetcher = createFetcher({
    sink,
    size: 100,
    fetch: async () => new Response(readable),
    onProgress: (received) => told.push(received),
  });
  const pulled = fetcher.pull('/link');
  for (const part of ['abc', 'defg']) void wire.write(new TextEncoder().encode(part));
  await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
  expect(told).toEqual([3, 7]);
  await wire.close();
  expect(await pulled).toMatchObject({ end: 'cut' });
});

test('a disk that takes no more is told', async () => {
  const fetcher = createFetcher({
    sink: {
      write: () => Promise.reject(new Error('Full')),
      close: async () => undefined,
      abandon: async () => undefined,
    },
    size: 3,
    fetch: async () => new Response('abc'),
    onProgress: () => undefined,
  });
  expect(await fetcher.pull('/link')).toEqual({ end: 'unwritable', why: 'Full' });
});
