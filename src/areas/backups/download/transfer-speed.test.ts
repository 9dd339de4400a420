import { expect, test } from 'vitest';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { formatSpeed } from '../model/units.ts';
import { addSample, getSecondsLeft, getSpeed } from './transfer-speed.ts';
import type { Samples } from './transfer-speed.ts';

test('computes the speed over the last seconds', () => {
  let samples: Samples = [];
  expect(getSpeed(samples)).toBeUndefined();
  for (let at = 0; at <= 20_000; at += 500)
    samples = addSample(samples, { at, received: at < 10_000 ? at * 10 : 100_000 + (at - 10_000) });
  expect(samples.length).toBeLessThan(13);
  expect(getSpeed(samples)).toBeCloseTo(1000);
  expect(getSecondsLeft(5000, getSpeed(samples))).toBeCloseTo(5);
});

test('gives no remaining time for a stalled transfer', () => {
  const stalled = [
    { at: 0, received: 7 },
    { at: 3000, received: 7 },
  ];
  expect(getSecondsLeft(5000, getSpeed(stalled))).toBeUndefined();
  expect(getSecondsLeft(5000, undefined)).toBeUndefined();
});

test('formats sizes, speeds and durations', () => {
  expect([1, 999, 4321, 43_210, 8_823_114, 512_000_000, 1_234_567_890].map(formatSize)).toEqual([
    '1 byte',
    '999 bytes',
    '4.3 kB',
    '43 kB',
    '8.8 MB',
    '512 MB',
    '1.2 GB',
  ]);
  expect(formatSpeed(3_100_000)).toBe('3.1 MB/s');
  expect([0.2, 25, 170, 7500].map(formatDuration)).toEqual(['1 sec', '25 sec', '3 min', '2 hr 5 min']);
  // Rounding up fills the larger unit.
  expect([59.5, 3590, 7190].map(formatDuration)).toEqual(['1 min', '1 hr', '2 hr']);
});
