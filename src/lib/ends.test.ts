import { describe, expect, test } from 'vitest';
import { daysAfter, distance, isWithin } from './ends.ts';

const now = new Date(2026, 10, 21, 15, 0);
const at = (day: number, hour = 15, minute = 0) => new Date(2026, 10, day, hour, minute);

describe('how far a moment is away', () => {
  test.each([
    [at(25), 'in 4 days'],
    [at(22, 1), 'tomorrow'],
    [at(21, 20), 'in 5 hours'],
    [at(21, 15, 40), 'in 40 minutes'],
    [at(20, 23), 'yesterday'],
    [at(18), '3 days ago'],
  ])('%s', (moment, words) => {
    expect(distance(moment, now)).toBe(words);
  });
});

test('days are counted in hours, from the moment given', () => {
  expect(daysAfter(30, '2026-03-01T08:00:00.000Z').toISOString()).toBe('2026-03-31T08:00:00.000Z');
});

test('what has ended or ends later is not within', () => {
  expect(isWithin(at(28), 7, now)).toBe(true);
  expect(isWithin(at(28, 16), 7, now)).toBe(false);
  expect(isWithin(now, 7, now)).toBe(false);
});
