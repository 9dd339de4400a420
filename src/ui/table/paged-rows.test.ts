import { expect, test, vi } from 'vitest';
import { createPagedRows } from './paged-rows.ts';

test('pages in view and their neighbours are loaded once', async () => {
  const read = vi.fn<(number: number) => Promise<string[]>>((number) =>
    Promise.resolve([`${number}a`, `${number}b`]),
  );
  const rows = createPagedRows({ length: 7, pageSize: 2, firstPage: ['1a', '1b'], loadPage: read });
  expect(rows.at(1)).toBe('1b');
  expect(rows.at(5)).toBeUndefined();
  await vi.waitFor(() => expect(rows.at(5)).toBe('3b'), { timeout: 20_000 });
  expect(new Set(read.mock.calls.flat())).toEqual(new Set([2, 3, 4]));
});

test('a page that failed to load is loaded again on demand', async () => {
  const read = vi
    .fn<() => Promise<string[]>>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue(['2a']);
  const rows = createPagedRows({ length: 3, pageSize: 2, firstPage: ['1a', '1b'], loadPage: read });
  rows.at(2);
  await vi.waitFor(() => expect(rows.at(2)).toBe('2a'), { timeout: 20_000 });
});

test('rows in view ask again for a page that failed to load', async () => {
  vi.useFakeTimers();
  const loadPage = vi.fn<() => Promise<string[]>>(() => Promise.resolve(['2a']));
  loadPage.mockRejectedValueOnce(new Error('away'));
  const rows = createPagedRows({ length: 3, pageSize: 2, firstPage: ['1a', '1b'], loadPage });
  const shown: unknown[] = [];
  rows.subscribe?.(() => shown.push(rows.at(2)));
  rows.at(2);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(shown).toEqual([undefined, '2a']);
});

test('rows of an earlier reading stay until they are read again', async () => {
  const released = Promise.withResolvers<string[]>();
  const rows = createPagedRows({
    length: 4,
    pageSize: 2,
    firstPage: ['1a', '1b'],
    loadPage: () => released.promise,
    stalePages: new Map([[2, ['old', 'old']]]),
  });
  expect([rows.at(0), rows.at(2)]).toEqual(['1a', 'old']);
  released.resolve(['2a', '2b']);
  await vi.waitFor(() => expect(rows.at(2)).toBe('2a'), { timeout: 20_000 });
});

test('keeps no page that was evicted before it arrived', async () => {
  const arrivals: (() => void)[] = [];
  const rows = createPagedRows({
    length: 1000,
    pageSize: 2,
    firstPage: ['1a', '1b'],
    loadPage: (number) =>
      new Promise<string[]>((resolve) => arrivals.push(() => resolve([`${number}a`, `${number}b`]))),
  });
  // Scrolling over all rows requests every page before the first one arrives.
  for (let index = 0; index < 1000; index += 1) rows.at(index);
  for (const arrive of arrivals) arrive();
  await vi.waitFor(() => expect(rows.at(999)).toBe('500b'), { timeout: 20_000 });
  expect(rows.at(400)).toBeUndefined();
});
