import { expect, test, vi } from 'vitest';
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
  `Europe/${'Berlin'.repeat(20)}`,
])('%j is no time zone', (name) => {
  expect(resolveTimeZone(name)).toBeUndefined();
});

test('a name is asked of the runtime once, and the number of cached names is limited', () => {
  const format = vi.spyOn(Intl, 'DateTimeFormat');
  const resolve = (name: string) => {
    format.mockClear();
    const canonical = resolveTimeZone(name);
    return { canonical, asked: format.mock.calls.length };
  };
  expect(resolve('asia/TOKYO')).toEqual({ canonical: 'Asia/Tokyo', asked: 1 });
  expect(resolve('asia/TOKYO')).toEqual({ canonical: 'Asia/Tokyo', asked: 0 });
  expect(resolve('Mars/Phobos')).toEqual({ canonical: undefined, asked: 1 });
  expect(resolve('Mars/Phobos')).toEqual({ canonical: undefined, asked: 0 });
  for (let at = 0; at < 1000; at += 1) expect(resolveTimeZone(`Mars/Crater_${at}`)).toBeUndefined();
  expect(resolve('Mars/Crater_999')).toEqual({ canonical: undefined, asked: 0 });
  expect(resolve('asia/TOKYO')).toEqual({ canonical: 'Asia/Tokyo', asked: 1 });
});
