import { describe, expect, it } from 'vitest';
import { clockTime, exactDate, shortDate } from './dates.ts';

const now = new Date(2026, 10, 21, 14, 0, 0);
const before = (ms: number) => new Date(now.getTime() - ms);

describe('shortDate', () => {
  it.each([
    [0, 'now'],
    [2 * 60_000, '2 min. ago'],
    [59 * 60_000, '59 min. ago'],
    [3 * 3_600_000, '3 hr. ago'],
    [15 * 3_600_000, 'yesterday'],
    [37 * 3_600_000, 'yesterday'],
  ])('%d ms ago is "%s"', (ms, text) => {
    expect(shortDate(before(ms), now)).toBe(text);
  });

  it('shows the day beyond yesterday, and for what lies ahead', () => {
    expect(shortDate(before(39 * 3_600_000), now)).toMatch(/2026/);
    expect(shortDate(before(-3 * 3_600_000), now)).toMatch(/2026/);
  });
});

it('exact forms carry minutes and seconds', () => {
  expect(exactDate(now)).toMatch(/00:00/);
  expect(clockTime(now)).toMatch(/00:00/);
});
