import { expect, test } from 'vitest';
import { resolveTimeZone } from './time-zones.ts';

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['pacific/kiritimati', 'Pacific/Kiritimati'],
  ['utc', 'UTC'],
])('%s is the time zone %s', (name, canonical) => {
  expect(resolveTimeZone(name)).toBe(canonical);
});

test('both names of a renamed zone mean the same', () => {
  expect(resolveTimeZone('Europe/Kyiv')).toBeDefined();
  expect(resolveTimeZone('Europe/Kyiv')).toBe(resolveTimeZone('Europe/Kiev'));
});

test.each([
  '',
  '+02:00',
  '-0330',
  '2',
  'Mars/Olympus',
  'Europe',
  'Berlin',
  ' Europe/Berlin',
  'Europe/Berlin ',
])('%j is no time zone', (name) => {
  expect(resolveTimeZone(name)).toBeUndefined();
});
