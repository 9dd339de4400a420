import { expect, onTestFinished, test, vi } from 'vitest';
import { findIds, type KeptIds, knownIds } from './kept-ids.ts';

const MB = 1024 * 1024;
const list = (megabytes: number, mark = 0): KeptIds => ({
  ids: new Int32Array((megabytes * MB) / 4),
  mark,
  people: undefined,
});

const here = new AbortController().signal;

test('who asks for a list that is being found waits for it, and it is found once', async () => {
  const { promise, resolve } = Promise.withResolvers<KeptIds>();
  const find = vi.fn<() => Promise<KeptIds>>(() => promise);
  const asked = [findIds('once', here, find), findIds('once', here, find), findIds('once', here, find)];
  resolve(list(1, 7));
  const found = await Promise.all(asked);
  expect(find).toHaveBeenCalledTimes(1);
  expect(new Set(found).size).toBe(1);
  expect(knownIds('once')?.mark).toBe(7);
  await findIds('once', here, () => Promise.resolve(list(1, 8)));
  expect(knownIds('once')?.mark).toBe(8);
});

test('a list that cannot be found is no answer to whoever asks later', async () => {
  await expect(findIds('fails', here, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(knownIds('fails')).toBeUndefined();
  expect((await findIds('fails', here, () => Promise.resolve(list(1, 3)))).mark).toBe(3);
});

test('of more than 64 MB those that nobody has looked at for longest are dropped', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await findIds(name, here, () => Promise.resolve(list(15)));
  expect(knownIds('a')).toBeDefined();
  await findIds('e', here, () => Promise.resolve(list(15)));
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => knownIds(name))).toEqual(['a', 'c', 'd', 'e']);
  expect((await findIds('too large', here, () => Promise.resolve(list(65)))).ids.byteLength).toBe(65 * MB);
  expect(['a', 'c', 'd', 'e', 'too large'].filter((name) => knownIds(name))).toEqual(['a', 'c', 'd', 'e']);
});

test('lists of nothing have their bound too', async () => {
  await findIds('large', here, () => Promise.resolve(list(63)));
  for (let at = 0; at < 1_100; at += 1) await findIds(`empty ${at}`, here, () => Promise.resolve(list(0)));
  expect(['large', 'empty 0'].filter((name) => knownIds(name))).toEqual(['empty 0']);
});

test('a list that took long to be found rests, so that whoever changes it all the time costs others little', async () => {
  vi.useFakeTimers();
  try {
    await findIds('slow', here, async () => {
      await vi.advanceTimersByTimeAsync(2_000);
      return list(1);
    });
    expect((knownIds('slow')?.restsUntil ?? 0) - performance.now()).toBe(4_000);
  } finally {
    vi.useRealTimers();
  }
});

test('nobody keeps a list that nobody looks at for ten minutes', async () => {
  vi.useFakeTimers();
  try {
    await findIds('looked at', here, () => Promise.resolve(list(1)));
    vi.advanceTimersByTime(500_000);
    expect(knownIds('looked at')).toBeDefined();
    vi.advanceTimersByTime(500_000);
    expect(knownIds('looked at')).toBeDefined();
    vi.advanceTimersByTime(600_000);
    expect(knownIds('looked at')).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test('who is gone leaves the finding to the others, and when all are gone it ends', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const callers = ['one', 'other', 'late'].map(() => new AbortController());
  const [one, other, late] = callers;
  const told: AbortSignal[] = [];
  const never = (unasked: AbortSignal) => {
    told.push(unasked);
    return new Promise<KeptIds>((_, reject) => {
      unasked.addEventListener('abort', () => reject(new Error('ended')));
    });
  };
  const ask = async (caller: AbortController | undefined) =>
    expect(findIds('long', caller?.signal ?? here, never)).rejects.toMatchObject({ code: '57U00' });
  const ended = () => told.map(({ aborted }) => aborted);
  const first = ask(one);
  one?.abort();
  await first;
  // Who scrolls on comes soon after.
  vi.advanceTimersByTime(900);
  const second = ask(other);
  vi.advanceTimersByTime(5_000);
  expect(ended()).toEqual([false]);
  other?.abort();
  await second;
  expect(ended()).toEqual([false]);
  vi.advanceTimersByTime(1_000);
  expect(ended()).toEqual([true]);
  // What was given up is nobody's answer.
  const anew = findIds('long', late?.signal ?? here, () => Promise.resolve(list(1, 5)));
  expect((await anew).mark).toBe(5);
});
