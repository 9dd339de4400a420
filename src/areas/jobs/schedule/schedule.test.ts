import { expect, test } from 'vitest';
import { getScheduleProblem, toStartOptions } from './schedule.ts';
import type { Schedule } from './schedule.ts';

const ZONE = 'Europe/Berlin';
const now = Date.parse('2026-10-30T12:00:00Z');

test.each<[Schedule, string | undefined, object]>([
  [{ kind: 'now' }, undefined, {}],
  [{ kind: 'time', field: '2026-11-02T09:00' }, undefined, { notBefore: '2026-11-02T08:00:00.000Z' }],
  [
    { kind: 'time', field: '2026-10-30T13:00' },
    'Choose a time in the future',
    { notBefore: '2026-10-30T12:00:00.000Z' },
  ],
  [{ kind: 'time', field: '' }, 'Enter a date and time', {}],
  [{ kind: 'after', jobId: 7 }, undefined, { afterJobId: 7 }],
  [{ kind: 'after', jobId: undefined }, 'Choose a job', {}],
])('%j', (schedule, problem, options) => {
  expect(getScheduleProblem(schedule, ZONE, now)).toBe(problem);
  expect(toStartOptions(schedule, ZONE)).toEqual(options);
});
