import { expect, test } from 'vitest';
import { formatTime } from '../../../lib/dates/dates.ts';
import { describePace } from './pace.ts';

test('says the pace of a job in words: its time, the items of a step, and when items failed', () => {
  const startDate = '2026-10-30T12:00:00.000Z';
  const at = (seconds: number) => formatTime(new Date(Date.parse(startDate) + seconds * 1_000));
  const end = new Date(Date.parse(startDate) + 30_000);
  const quiet = {
    stepSeconds: 10,
    startDate,
    steps: [
      { step: 0, done: 4, failed: 0 },
      { step: 2, done: 9, failed: 0 },
    ],
  };
  expect(describePace(quiet, end)).toBe(`From ${at(0)} to ${at(30)}; 4 to 9 in 10 sec`);
  const steps = [
    { step: 0, done: 4, failed: 0 },
    { step: 2, done: 9, failed: 2 },
  ];
  expect(describePace({ stepSeconds: 1, startDate, steps }, end)).toBe(
    `From ${at(0)} to ${at(30)}; 4 to 11 in a second; 2 failed, the first at ${at(2)}`,
  );
});
