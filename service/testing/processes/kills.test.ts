import { expect, test, vi } from 'vitest';
import { getKillCount, startKills } from './kills.ts';

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

test('npm run proof kills more often than npm test, and STEWARD_KILLS sets another number', () => {
  const share = { embedded: 1, postgres: 2 };
  vi.stubEnv('STEWARD_PROOF', undefined);
  vi.stubEnv('STEWARD_KILLS', undefined);
  expect(getKillCount('postgres', share, 500)).toBe(2);
  vi.stubEnv('STEWARD_PROOF', '1');
  expect([getKillCount('postgres', share), getKillCount('embedded', share, 500)]).toEqual([60, 500]);
  vi.stubEnv('STEWARD_KILLS', '7');
  expect(getKillCount('embedded', share, 500)).toBe(7);
  vi.unstubAllEnvs();
});
