import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TopicPosition, TopicPositions } from '../../../../contract/generated/types.gen.ts';
import { followedSince, onSiteChanges, type SiteChanges } from '../../../api/site-changes.ts';
import { followChanges, refreshLists } from './follow-changes.ts';

/** The streams that were opened, newest last. */
const streams: { push: (topics: TopicPosition[]) => void; end: () => void; signal: AbortSignal }[] = [];
let isRefused = false;

vi.mock('../../../api/generated/sdk/publications.gen.ts', () => ({
  streamTopicPositions: ({ signal }: { signal: AbortSignal }) => {
    const waiting: TopicPositions[] = [];
    let wake: (() => void) | undefined;
    let isOver = isRefused;
    const notify = () => wake?.();
    const end = () => {
      isOver = true;
      notify();
    };
    signal.addEventListener('abort', end);
    streams.push({
      signal,
      end,
      push(topics) {
        waiting.push({ topics });
        notify();
      },
    });
    async function* read() {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    return Promise.resolve({ stream: read() });
  },
}));

const removeFromDirectory = vi.hoisted(() => vi.fn<(client: unknown, userIds: readonly number[]) => void>());
vi.mock('../../../directory/directory.ts', () => ({
  directoryQuery: { queryKey: ['directory'] },
  removeFromDirectory,
}));

const moved = (name: string, nextOffset: number, ids: Partial<TopicPosition> = {}): TopicPosition => ({
  name,
  nextOffset,
  entryTypeIds: [],
  deletedUserIds: [],
  ...ids,
});

let reports: SiteChanges[] = [];
let ends: (() => void)[] = [];
let visibility = 'visible';
const page = new EventTarget();
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const last = () => streams.at(-1);

beforeEach(() => {
  vi.useFakeTimers();
  visibility = 'visible';
  vi.stubGlobal(
    'document',
    Object.defineProperty(page, 'visibilityState', { get: () => visibility, configurable: true }),
  );
  // Without locks a tab shares nothing; the browser test has several tabs.
  vi.stubGlobal('navigator', {});
  streams.length = 0;
  reports = [];
  isRefused = false;
  ends = [onSiteChanges((changes) => reports.push(changes)), followChanges({ siteId: 1, userId: 7 })];
});
afterEach(() => {
  for (const end of ends) end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the first positions change nothing; a burst of later ones is one report', async () => {
  last()?.push([moved('default-data', 100), moved('default-users', 5)]);
  await advance(10_000);
  expect([reports, typeof followedSince.get()]).toEqual([[], 'number']);
  for (let offset = 101; offset <= 10_100; offset += 1)
    last()?.push([moved('default-data', offset, { entryTypeIds: [offset % 3] })]);
  await advance(2_000);
  expect(reports).toEqual([
    {
      topics: new Set(['default-data']),
      entryTypeIds: new Set([0, 1, 2]),
      deletedUserIds: new Set(),
    },
  ]);
  // The next one waits.
  last()?.push([moved('default-users', 6, { deletedUserIds: [9] })]);
  await advance(2_000);
  expect(reports).toHaveLength(1);
  await advance(3_000);
  expect(reports[1]).toEqual({
    topics: new Set(['default-users']),
    entryTypeIds: new Set(),
    deletedUserIds: new Set([9]),
  });
});

test('a lost connection reads lists at intervals, comes back, and reports what was missed', async () => {
  last()?.push([moved('default-data', 100), moved('default-users', 5)]);
  await advance(0);
  last()?.end();
  await advance(0);
  expect(followedSince.get()).toBeUndefined();
  await advance(10_000);
  expect(streams).toHaveLength(2);
  last()?.push([
    moved('default-data', 100, { entryTypeIds: null }),
    moved('default-users', 6, { deletedUserIds: null }),
  ]);
  await advance(2_000);
  expect(followedSince.get()).toBeTypeOf('number');
  expect(reports).toEqual([
    { topics: new Set(['default-users']), entryTypeIds: new Set(), deletedUserIds: null },
  ]);
});

test('a service without the stream is asked again after a minute, and one that falls silent is left', async () => {
  isRefused = true;
  last()?.end();
  await advance(59_000);
  expect([streams.length, followedSince.get()]).toEqual([1, undefined]);
  isRefused = false;
  await advance(1_000);
  expect(streams).toHaveLength(2);
  last()?.push([moved('default-data', 1)]);
  await advance(39_000);
  expect(followedSince.get()).toBeTypeOf('number');
  await advance(1_000);
  expect([last()?.signal.aborted, followedSince.get()]).toEqual([true, undefined]);
});

test('a hidden page has no connection, and learns what it missed when it is shown', async () => {
  last()?.push([moved('default-data', 1)]);
  await advance(0);
  visibility = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  await advance(60_000);
  expect([streams.length, last()?.signal.aborted, followedSince.get()]).toEqual([1, true, undefined]);
  visibility = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
  last()?.push([moved('default-data', 2, { entryTypeIds: null })]);
  await advance(2_000);
  expect([streams.length, reports]).toEqual([
    2,
    [{ topics: new Set(['default-data']), entryTypeIds: null, deletedUserIds: new Set() }],
  ]);
});

test('lists that a topic concerns are read again, and removed users leave the directory', async () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, 'invalidateQueries');
  ends.push(refreshLists(client));
  const listReads = () =>
    invalidate.mock.calls.map(([filters]) => Object(filters?.queryKey?.[0])['_id'] as string);
  last()?.push([moved('default-data', 1), moved('default-users', 1)]);
  await advance(0);
  last()?.push([moved('default-data', 2, { entryTypeIds: [5] })]);
  await advance(2_000);
  expect(listReads()).toContain('listEntryTypes');
  expect(listReads()).not.toContain('searchUsers');
  last()?.push([moved('default-users', 2, { deletedUserIds: [9] })]);
  await advance(5_000);
  expect(listReads()).toContain('searchUsers');
  expect(removeFromDirectory.mock.calls).toEqual([[client, [9]]]);
  invalidate.mockClear();
  last()?.end();
  await advance(0);
  expect(invalidate.mock.calls).toEqual([[{ queryKey: ['directory'] }]]);
});
