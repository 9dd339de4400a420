import { expect, test } from 'vitest';
import { getLatency, recordAnswerTime } from './latency.ts';

test('measures 95 % of the reads of each page, and of a panel those of its list', () => {
  expect(getLatency('/measured')).toBeUndefined();
  for (let ms = 100; ms >= 1; ms -= 1) recordAnswerTime(ms, '/measured');
  recordAnswerTime(9000, '/other');
  expect(getLatency('/measured')).toEqual({ p95: 95, reads: 100 });
  expect(getLatency('/measured/new')).toEqual({ p95: 95, reads: 100 });
  expect(getLatency('/other')).toEqual({ p95: 9000, reads: 1 });
});

test('forgets old reads, so that a slow start does not stay', () => {
  for (let read = 0; read < 250; read += 1) recordAnswerTime(read < 50 ? 5000 : 10, '/aged');
  expect(getLatency('/aged')).toEqual({ p95: 10, reads: 200 });
});
