import { expect, test } from 'vitest';
import { noted, secondsLeft, speedOf } from './meter.ts';
import { durationWords, sizeWords, speedWords } from './units.ts';
import type { Samples } from './meter.ts';

test('the speed is that of the last seconds, not of the whole time', () => {
  let samples: Samples = [];
  expect(speedOf(samples)).toBeUndefined();
  for (let at = 0; at <= 20_000; at += 500)
    samples = noted(samples, { at, received: at < 10_000 ? at * 10 : 100_000 + (at - 10_000) });
  expect(samples.length).toBeLessThan(13);
  expect(speedOf(samples)).toBeCloseTo(1000);
  expect(secondsLeft(5000, speedOf(samples))).toBeCloseTo(5);
});

test('nothing is promised where nothing comes', () => {
  const stalled = [
    { at: 0, received: 7 },
    { at: 3000, received: 7 },
  ];
  expect(secondsLeft(5000, speedOf(stalled))).toBeUndefined();
  expect(secondsLeft(5000, undefined)).toBeUndefined();
});

test('words for bytes, speeds and times', () => {
  expect([1, 999, 4321, 43_210, 8_823_114, 512_000_000, 1_234_567_890].map(sizeWords)).toEqual([
    '1 byte',
    '999 bytes',
    '4.3 kB',
    '43 kB',
    '8.8 MB',
    '512 MB',
    '1.2 GB',
  ]);
  expect(speedWords(3_100_000)).toBe('3.1 MB/s');
  expect([0.2, 25, 170, 7500].map(durationWords)).toEqual(['1 sec', '25 sec', '3 min', '2 hr 5 min']);
});
