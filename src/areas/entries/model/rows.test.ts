import { expect, it, vi } from 'vitest';
import { WINDOW, createRows, windowsNear, windowsOf } from './rows.ts';

const TOTAL = 1_000_000;
const PAUSE = 40;
const rowsFrom = (skip: number) => Array.from({ length: WINDOW }, (_, at) => ({ EntryId: skip + at + 1 }));

function opened() {
  vi.useFakeTimers();
  const asked: number[] = [];
  const stopped: number[] = [];
  const answers = new Map<number, { give: () => void; fail: (thrown: unknown) => void }>();
  const rows = createRows({
    total: TOTAL,
    first: rowsFrom(0),
    pause: PAUSE,
    read: (skip, signal) => {
      asked.push(skip);
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(skip);
          reject(signal.reason);
        });
        answers.set(skip, { give: () => resolve(rowsFrom(skip)), fail: reject });
      });
    },
  });
  const answer = async (skip: number) => {
    answers.get(skip)?.give();
    await vi.advanceTimersByTimeAsync(0);
  };
  const fail = async (skip: number) => {
    answers.get(skip)?.fail(new Error('no rows'));
    await vi.advanceTimersByTimeAsync(0);
  };
  let told = 0;
  const leave = rows.subscribe(() => {
    told += 1;
  });
  return { rows, asked, stopped, answer, fail, told: () => told, leave };
}

it('knows the windows in view, and those that come next', () => {
  expect(windowsOf(10, 30, TOTAL)).toEqual([0]);
  expect(windowsOf(90, 110, TOTAL)).toEqual([0, 1]);
  expect(windowsOf(999_990, 999_999, TOTAL)).toEqual([9999]);
  expect(windowsOf(0, 3, 3)).toEqual([0]);
  expect(windowsNear(10, 30, TOTAL, 0)).toEqual([]);
  expect(windowsNear(60, 85, TOTAL, 0)).toEqual([1]);
  expect(windowsNear(500_010, 500_030, TOTAL, 0)).toEqual([4999]);
  expect(windowsNear(500_010, 500_030, TOTAL, 1)).toEqual([4999, 5001, 5002]);
  expect(windowsNear(500_060, 500_080, TOTAL, -1)).toEqual([4998, 4999, 5001]);
  expect(windowsNear(999_990, 999_999, TOTAL, 1)).toEqual([]);
});

it('reads what is in view at once, and what comes next when that is there', async () => {
  const { rows, asked, answer, told } = opened();
  rows.want(400_070, 400_090);
  expect(asked).toEqual([400_000]);
  await answer(400_000);
  expect(rows.at(400_080)).toEqual({ EntryId: 400_081 });
  expect(told()).toBe(1);
  expect(asked).toEqual([400_000, 400_100]);
  await answer(400_100);
  // Nobody sees those yet.
  expect(told()).toBe(1);
});

it('reads on while somebody scrolls without a stop', async () => {
  const { rows, asked, answer } = opened();
  for (let from = 0; from < 600; from += 4) {
    rows.want(from, from + 20);
    // oxlint-disable-next-line no-await-in-loop -- frame after frame
    await vi.advanceTimersByTimeAsync(16);
    // Calls take three frames.
    // oxlint-disable-next-line no-await-in-loop
    if (from % 12 === 0) for (const skip of asked.slice(-2)) await answer(skip);
    expect(rows.at(from + 20)).toBeDefined();
  }
  expect(asked).toEqual([...new Set(asked)]);
});

it('stops calls for what was passed over, and reads where somebody stays', async () => {
  const { rows, asked, stopped, answer } = opened();
  rows.want(400_020, 400_040);
  for (const at of [500_020, 600_020, 700_020]) {
    rows.want(at, at + 20);
    // oxlint-disable-next-line no-await-in-loop -- frame after frame
    await vi.advanceTimersByTimeAsync(16);
  }
  expect([asked, stopped]).toEqual([[400_000], [400_000]]);
  rows.want(700_021, 700_041);
  await vi.advanceTimersByTimeAsync(PAUSE - 16);
  expect(asked).toEqual([400_000, 700_000]);
  await answer(700_000);
  expect(rows.at(700_030)).toEqual({ EntryId: 700_031 });
});

it('tells what could not be read, and tries again where somebody goes on', async () => {
  const { rows, asked, answer, fail, told } = opened();
  rows.want(400_020, 400_040);
  await fail(400_000);
  expect([rows.failure(), told()]).toEqual([new Error('no rows'), 1]);
  rows.want(400_021, 400_041);
  expect(asked).toEqual([400_000]);
  await vi.advanceTimersByTimeAsync(PAUSE);
  await answer(400_000);
  expect(rows.failure()).toBeUndefined();
});

it('tells how long the newest answer took, of those that came', async () => {
  const { rows, answer, fail } = opened();
  expect(rows.took()).toBe(0);
  rows.want(400_020, 400_040);
  await vi.advanceTimersByTimeAsync(70);
  await answer(400_000);
  expect(rows.took()).toBe(70);
  rows.want(700_020, 700_040);
  await vi.advanceTimersByTimeAsync(PAUSE + 30);
  await fail(700_000);
  expect(rows.took()).toBe(70);
});

it('gives the rows of a stretch, whatever is in view meanwhile', async () => {
  const { rows, asked, stopped, answer } = opened();
  const stretch = rows.between(95, 305);
  rows.want(400_020, 400_040);
  for (const skip of [100, 200, 300]) {
    // oxlint-disable-next-line no-await-in-loop -- one window after the other
    await answer(skip);
  }
  expect((await stretch).map(({ EntryId }) => EntryId)).toEqual(
    Array.from({ length: 211 }, (_, at) => 96 + at),
  );
  expect([asked, stopped]).toEqual([[100, 400_000, 200, 300], []]);
  expect(rows.at(250)).toBeUndefined();
});

it('stops when nobody listens any more', async () => {
  const { rows, stopped, leave } = opened();
  rows.want(400_020, 400_040);
  leave();
  expect(stopped).toEqual([400_000]);
  expect(vi.getTimerCount()).toBe(0);
});
