import { expect, it, vi } from 'vitest';
import { WINDOW, createRows, windowsAround } from './rows.ts';

const rowsFrom = (skip: number) => Array.from({ length: WINDOW }, (_, at) => ({ EntryId: skip + at + 1 }));

function opened() {
  const asked: number[] = [];
  const stopped: number[] = [];
  const answers = new Map<number, () => void>();
  const rows = createRows({
    total: 1_000_000,
    first: rowsFrom(0),
    pause: 0,
    read: (skip, signal) => {
      asked.push(skip);
      signal.addEventListener('abort', () => stopped.push(skip));
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        answers.set(skip, () => resolve(rowsFrom(skip)));
      });
    },
  });
  return { rows, asked, stopped, answers };
}

it('reads the windows in view, and a neighbour that one comes near', () => {
  expect(windowsAround(10, 30, 1_000_000)).toEqual([0]);
  expect(windowsAround(60, 85, 1_000_000)).toEqual([0, 1]);
  expect(windowsAround(90, 110, 1_000_000)).toEqual([0, 1]);
  expect(windowsAround(500_010, 500_030, 1_000_000)).toEqual([5000, 4999]);
  expect(windowsAround(999_990, 999_999, 1_000_000)).toEqual([9999]);
  expect(windowsAround(0, 3, 3)).toEqual([0]);
});

it('stops calls for what was scrolled past, and tells when rows are there', async () => {
  vi.useFakeTimers();
  const { rows, asked, stopped, answers } = opened();
  let told = 0;
  rows.subscribe(() => {
    told += 1;
  });
  rows.want(400_020, 400_040);
  rows.want(700_020, 700_040);
  await vi.runAllTimersAsync();
  expect(asked).toEqual([700_000, 699_900]);
  expect(rows.at(700_030)).toBeUndefined();
  rows.want(250, 260);
  await vi.runAllTimersAsync();
  expect(stopped).toEqual([700_000, 699_900]);
  answers.get(200)?.();
  await vi.runAllTimersAsync();
  expect(rows.at(250)).toEqual({ EntryId: 251 });
  expect(told).toBe(1);
  vi.useRealTimers();
});
