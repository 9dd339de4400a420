import { expect, test, vi } from 'vitest';
import { startKills } from './kills.ts';

const choose = () => {
  const { random, report } = startKills('jobs', 'embedded');
  const moments = Array.from({ length: 5 }, () => random.next());
  report({ kills: 5, writes: 9, lost: 0 });
  return moments;
};

test('STEWARD_KILLS_SEED repeats the moments, and each run prints its seed and figures', () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.stubEnv('STEWARD_KILLS_SEED', '77');
  expect(choose()).toEqual(choose());
  expect(print.mock.calls.slice(0, 2)).toEqual([
    ['kills of jobs on embedded, seed 77'],
    ['kills of jobs on embedded, seed 77: 5 kills, 9 writes, 0 lost'],
  ]);
  vi.unstubAllEnvs();
  expect(choose()).not.toEqual(choose());
});
