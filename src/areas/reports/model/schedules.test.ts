import { expect, test } from 'vitest';
import { describeRefused, formatPeople, formatTimes, NO_DELIVERY, toTiming } from './schedules.ts';

test('times in a request name only the day that they use', () => {
  const values = { ...NO_DELIVERY, time: '07:30', weekday: 5, dayOfMonth: 31 };
  expect(toTiming(values)).toBeUndefined();
  expect(toTiming({ ...values, repeat: 'daily' })).toEqual({ frequency: 'daily', time: '07:30' });
  expect(toTiming({ ...values, repeat: 'weekly' })).toEqual({
    frequency: 'weekly',
    time: '07:30',
    weekday: 5,
  });
  expect(toTiming({ ...values, repeat: 'monthly' })).toEqual({
    frequency: 'monthly',
    time: '07:30',
    dayOfMonth: 31,
  });
});

test('times and people in words', () => {
  const at = { time: '07:30', weekday: null, dayOfMonth: null };
  expect(formatTimes({ ...at, frequency: 'daily' })).toBe('Daily at 07:30');
  expect(formatTimes({ ...at, frequency: 'weekly', weekday: 1 })).toBe('Mondays at 07:30');
  expect(formatTimes({ ...at, frequency: 'monthly', dayOfMonth: 31 })).toBe('Monthly on day 31 at 07:30');
  expect(formatPeople([])).toBe('Nobody');
  expect(formatPeople([{ name: 'Ada' }, { name: 'Grace' }, { name: 'Kurt' }])).toBe('Ada and 2 more');
  expect(describeRefused([{ name: 'Ada' }, { name: 'Kurt' }])).toBe(
    'Ada and Kurt can no longer receive reports. Remove them to save the schedule.',
  );
});
