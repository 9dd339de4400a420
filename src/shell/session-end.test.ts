import { expect, test } from 'vitest';
import { endHere, TOLD_MS, untilTold } from './session-end.ts';

const MINUTE = 60_000;

test('ends as long after it was read as the service says, whatever the clock of the browser shows', () => {
  const session = { serverTime: '2026-03-01T08:00:00.000Z', expiresDate: '2026-03-01T20:00:00.000Z' };
  expect(endHere(session, 5_000)).toBe(5_000 + 720 * MINUTE);
});

test('is told ten minutes before, then again and again, and at the end', () => {
  expect(untilTold(720 * MINUTE, 0)).toBe(710 * MINUTE);
  expect(untilTold(720 * MINUTE, 710 * MINUTE + 1)).toBe(10_000);
  expect(untilTold(720 * MINUTE, 720 * MINUTE - 3_000)).toBe(3_000);
  expect(untilTold(0, 5)).toBe(0);
  expect(untilTold(2 ** 40, 0)).toBeLessThan(2 ** 31);
  expect(TOLD_MS).toBe(10 * MINUTE);
});
