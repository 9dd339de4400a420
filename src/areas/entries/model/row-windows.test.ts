import { expect, it, vi } from 'vitest';
import { WINDOW_ROWS, createEntryRows, getAdjacentWindows, getWindows } from './row-windows.ts';

const TOTAL = 1_000_000;
const PAUSE_MS = 40;
const rowsFrom = (skip: number) =>
  Array.from({ length: WINDOW_ROWS }, (_, at) => ({ EntryId: skip + at + 1 }));

function openRows() {
  vi.useFakeTimers();
  const requested: number[] = [];
  const aborted: number[] = [];
  const answers = new Map<number, { resolve: () => void; fail: (thrown: unknown) => void }>();
  const rows = createEntryRows({
    total: TOTAL,
    firstWindow: rowsFrom(0),
    pauseMs: PAUSE_MS,
    loadWindow: (skip, signal) => {
      requested.push(skip);
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(skip);
          reject(signal.reason);
        });
        answers.set(skip, { resolve: () => resolve(rowsFrom(skip)), fail: reject });
      });
    },
  });
  const answer = async (skip: number) => {
    answers.get(skip)?.resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  const fail = async (skip: number) => {
    answers.get(skip)?.fail(new Error('no rows'));
    await vi.advanceTimersByTimeAsync(0);
  };
  let countNotifications = 0;
  const unsubscribe = rows.subscribe(() => {
    countNotifications += 1;
  });
  return {
    rows,
    requested,
    aborted,
    answer,
    fail,
    countNotifications: () => countNotifications,
    unsubscribe,
  };
}

it('computes the visible and the adjacent windows', () => {
  expect(getWindows(10, 30, TOTAL)).toEqual([0]);
  expect(getWindows(90, 110, TOTAL)).toEqual([0, 1]);
  expect(getWindows(999_990, 999_999, TOTAL)).toEqual([9999]);
  expect(getWindows(0, 3, 3)).toEqual([0]);
  expect(getAdjacentWindows(10, 30, TOTAL, 0)).toEqual([]);
  expect(getAdjacentWindows(60, 85, TOTAL, 0)).toEqual([1]);
  expect(getAdjacentWindows(500_010, 500_030, TOTAL, 0)).toEqual([4999]);
  expect(getAdjacentWindows(500_010, 500_030, TOTAL, 1)).toEqual([4999, 5001, 5002]);
  expect(getAdjacentWindows(500_060, 500_080, TOTAL, -1)).toEqual([4998, 4999, 5001]);
  expect(getAdjacentWindows(999_990, 999_999, TOTAL, 1)).toEqual([]);
});

it('loads visible windows at once and adjacent ones after them', async () => {
  const { rows, requested, answer, countNotifications } = openRows();
  rows.setVisibleRange(400_070, 400_090);
  expect(requested).toEqual([400_000]);
  await answer(400_000);
  expect(rows.at(400_080)).toEqual({ EntryId: 400_081 });
  expect(countNotifications()).toBe(1);
  expect(requested).toEqual([400_000, 400_100]);
  await answer(400_100);
  // They are not visible yet.
  expect(countNotifications()).toBe(1);
});

it('keeps loading during continuous scrolling', async () => {
  const { rows, requested, answer } = openRows();
  for (let from = 0; from < 600; from += 4) {
    rows.setVisibleRange(from, from + 20);
    // Frame after frame.
    await vi.advanceTimersByTimeAsync(16);
    // Requests take three frames.
    if (from % 12 === 0) for (const skip of requested.slice(-2)) await answer(skip);
    expect(rows.at(from + 20)).toBeDefined();
  }
  expect(requested).toEqual([...new Set(requested)]);
});

it('aborts requests for windows scrolled past and loads where scrolling stops', async () => {
  const { rows, requested, aborted, answer } = openRows();
  rows.setVisibleRange(400_020, 400_040);
  for (const at of [500_020, 600_020, 700_020]) {
    rows.setVisibleRange(at, at + 20);
    // Frame after frame.
    await vi.advanceTimersByTimeAsync(16);
  }
  expect([requested, aborted]).toEqual([[400_000], [400_000]]);
  rows.setVisibleRange(700_021, 700_041);
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 16);
  expect(requested).toEqual([400_000, 700_000]);
  await answer(700_000);
  expect(rows.at(700_030)).toEqual({ EntryId: 700_031 });
});

it('reports a failure and retries on further scrolling', async () => {
  const { rows, requested, answer, fail, countNotifications } = openRows();
  rows.setVisibleRange(400_020, 400_040);
  await fail(400_000);
  expect([rows.getError(), countNotifications()]).toEqual([new Error('no rows'), 1]);
  rows.setVisibleRange(400_021, 400_041);
  expect(requested).toEqual([400_000]);
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  await answer(400_000);
  expect(rows.getError()).toBeUndefined();
});

it('measures the latency of the latest successful request', async () => {
  const { rows, answer, fail } = openRows();
  expect(rows.getLatencyMs()).toBe(0);
  rows.setVisibleRange(400_020, 400_040);
  await vi.advanceTimersByTimeAsync(70);
  await answer(400_000);
  expect(rows.getLatencyMs()).toBe(70);
  rows.setVisibleRange(700_020, 700_040);
  await vi.advanceTimersByTimeAsync(PAUSE_MS + 30);
  await fail(700_000);
  expect(rows.getLatencyMs()).toBe(70);
});

it('returns a range of rows independent of the visible ones', async () => {
  const { rows, requested, aborted, answer } = openRows();
  const range = rows.loadRange(95, 305);
  rows.setVisibleRange(400_020, 400_040);
  for (const skip of [100, 200, 300]) {
    await answer(skip);
  }
  expect((await range).map(({ EntryId }) => EntryId)).toEqual(
    Array.from({ length: 211 }, (_, at) => 96 + at),
  );
  expect([requested, aborted]).toEqual([[100, 400_000, 200, 300], []]);
  expect(rows.at(250)).toBeUndefined();
});

it('aborts requests when the last subscriber leaves', async () => {
  const { rows, aborted, unsubscribe } = openRows();
  rows.setVisibleRange(400_020, 400_040);
  unsubscribe();
  expect(aborted).toEqual([400_000]);
  expect(vi.getTimerCount()).toBe(0);
});

it('shows new values of the visible rows, and changes nothing when rows would move', async () => {
  let pages = new Map([[0, { totalRecords: 250, rows: rowsFrom(0) }]]);
  const requested: number[] = [];
  const rows = createEntryRows({
    total: 250,
    firstWindow: rowsFrom(0),
    loadWindow: async (skip) => rowsFrom(skip),
    loadPage: async (skip) => {
      requested.push(skip);
      const page = pages.get(skip);
      if (!page) throw new Error('no rows');
      return page;
    },
  });
  rows.setVisibleRange(0, 20);
  const renamed = rowsFrom(0).map((row, index) => (index === 3 ? { ...row, Name: 'New' } : row));
  pages = new Map([[0, { totalRecords: 250, rows: renamed }]]);
  const version = rows.getVersion();
  expect(await rows.refresh()).toBe(true);
  expect([requested, rows.at(3), rows.getVersion() > version]).toEqual([
    [0],
    { EntryId: 4, Name: 'New' },
    true,
  ]);
  // Another order, and another number of rows.
  pages = new Map([[0, { totalRecords: 250, rows: renamed.toReversed() }]]);
  expect(await rows.refresh()).toBe(false);
  pages = new Map([[0, { totalRecords: 251, rows: rowsFrom(0) }]]);
  expect(await rows.refresh()).toBe(false);
  expect(rows.at(3)).toEqual({ EntryId: 4, Name: 'New' });
});

it('does not replace the answer to a later refresh with that to an earlier one', async () => {
  const answers: ((name: string) => void)[] = [];
  const rows = createEntryRows({
    total: 1,
    firstWindow: [{ EntryId: 1 }],
    loadWindow: () => Promise.reject(new Error('Not expected')),
    loadPage: () =>
      new Promise((resolve) => {
        answers.push((name) => resolve({ totalRecords: 1, rows: [{ EntryId: 1, Name: name }] }));
      }),
  });
  const [earlier, later] = [rows.refresh(), rows.refresh()];
  answers[1]?.('New');
  expect(await later).toBe(true);
  answers[0]?.('Old');
  expect(await earlier).toBeUndefined();
  expect(rows.at(0)).toEqual({ EntryId: 1, Name: 'New' });
});
