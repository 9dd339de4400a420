import { expect, onTestFinished, test, vi } from 'vitest';
import { getCachedIdList, type IdList, loadIdList } from './id-list-cache.ts';

const BYTES_PER_MB = 1024 * 1024;
const createList = (megabytes: number, version = '0'): IdList => ({
  ids: new Int32Array((megabytes * BYTES_PER_MB) / 4),
  version,
  users: undefined,
});

const neverAborted = new AbortController().signal;

test('computes a list once for concurrent callers', async () => {
  const { promise, resolve } = Promise.withResolvers<IdList>();
  const load = vi.fn<() => Promise<IdList>>(() => promise);
  const calls = [1, 2, 3].map(() => loadIdList('once', neverAborted, load));
  resolve(createList(1, '7'));
  const lists = await Promise.all(calls);
  expect(load).toHaveBeenCalledTimes(1);
  expect(new Set(lists).size).toBe(1);
  expect(getCachedIdList('once')?.version).toBe('7');
  await loadIdList('once', neverAborted, () => Promise.resolve(createList(1, '8')));
  expect(getCachedIdList('once')?.version).toBe('8');
});

test('does not cache a failed computation', async () => {
  await expect(loadIdList('fails', neverAborted, () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  );
  expect(getCachedIdList('fails')).toBeUndefined();
  expect((await loadIdList('fails', neverAborted, () => Promise.resolve(createList(1, '3')))).version).toBe(
    '3',
  );
});

test('evicts the least recently used lists beyond 64 MB', async () => {
  for (const key of ['a', 'b', 'c', 'd'])
    await loadIdList(key, neverAborted, () => Promise.resolve(createList(15)));
  expect(getCachedIdList('a')).toBeDefined();
  await loadIdList('e', neverAborted, () => Promise.resolve(createList(15)));
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => getCachedIdList(key))).toEqual(['a', 'c', 'd', 'e']);
  const tooLarge = await loadIdList('too large', neverAborted, () => Promise.resolve(createList(65)));
  expect(tooLarge.ids.byteLength).toBe(65 * BYTES_PER_MB);
  expect(['a', 'c', 'd', 'e', 'too large'].filter((key) => getCachedIdList(key))).toEqual([
    'a',
    'c',
    'd',
    'e',
  ]);
});

test('limits the number of empty lists', async () => {
  await loadIdList('large', neverAborted, () => Promise.resolve(createList(63)));
  for (let index = 0; index < 1_100; index += 1)
    await loadIdList(`empty ${index}`, neverAborted, () => Promise.resolve(createList(0)));
  expect(['large', 'empty 0'].filter((key) => getCachedIdList(key))).toEqual(['empty 0']);
});

test('rests an outdated list for twice the time that its computation took', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await loadIdList('slow', neverAborted, async () => {
    await vi.advanceTimersByTimeAsync(2_000);
    return createList(1);
  });
  expect((getCachedIdList('slow')?.recomputeAfter ?? 0) - performance.now()).toBe(4_000);
});

test('drops a list that was not read for ten minutes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await loadIdList('read', neverAborted, () => Promise.resolve(createList(1)));
  vi.advanceTimersByTime(500_000);
  expect(getCachedIdList('read')).toBeDefined();
  vi.advanceTimersByTime(500_000);
  expect(getCachedIdList('read')).toBeDefined();
  vi.advanceTimersByTime(600_001);
  expect(getCachedIdList('read')).toBeUndefined();
});

test('aborts a computation one second after all of its callers aborted', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [first, second] = [new AbortController(), new AbortController()];
  const loadSignals: AbortSignal[] = [];
  const neverCompletes = (loadSignal: AbortSignal) => {
    loadSignals.push(loadSignal);
    return new Promise<IdList>((_, reject) => {
      loadSignal.addEventListener('abort', () => reject(new Error('ended')));
    });
  };
  const expectAbort = async ({ signal }: AbortController) =>
    expect(loadIdList('long', signal, neverCompletes)).rejects.toMatchObject({ code: '57U00' });
  const getAborted = () => loadSignals.map(({ aborted }) => aborted);
  const firstCall = expectAbort(first);
  first.abort();
  await firstCall;
  // A caller within the second continues the computation.
  vi.advanceTimersByTime(900);
  const secondCall = expectAbort(second);
  vi.advanceTimersByTime(5_000);
  expect(getAborted()).toEqual([false]);
  second.abort();
  await secondCall;
  expect(getAborted()).toEqual([false]);
  vi.advanceTimersByTime(1_000);
  expect(getAborted()).toEqual([true]);
  // The next caller starts a new computation.
  const next = loadIdList('long', neverAborted, () => Promise.resolve(createList(1, '5')));
  expect((await next).version).toBe('5');
});
