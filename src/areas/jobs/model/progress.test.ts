import { expect, test } from 'vitest';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import {
  describeCertainty,
  describeState,
  formatEnd,
  formatEnded,
  formatForecast,
  formatRate,
  formatWaiting,
  getOutcome,
} from './format.ts';
import { getProgress, getRate, progressSamples, recordProgress } from './progress.ts';
import { describeCancel } from './use-job-actions.tsx';

const job = (more: Partial<Job> = {}): Job => ({
  id: 7,
  kind: 'users.update',
  title: 'Deactivate 100 people',
  state: 'running',
  ownerId: 1,
  ownerName: 'Ada Marsh',
  total: 100,
  done: 0,
  unchanged: 0,
  conflicts: 0,
  failed: 0,
  createdDate: '2026-11-22T10:00:00Z',
  startedDate: '2026-11-22T10:00:00Z',
  finishedDate: null,
  notBefore: null,
  afterJobId: null,
  inverseOf: null,
  inverseJobId: null,
  undoUntil: null,
  stopReason: null,
  parameters: {},
  file: null,
  ...more,
});
const ended = (more: Partial<Job> = {}) =>
  job({ state: 'finished', finishedDate: '2026-11-22T10:00:20Z', done: 80, failed: 20, ...more });

test('the rate of a running job describes the last seconds only', () => {
  const read = () => getRate(job({ done: 60 }), progressSamples.get().get(7));
  recordProgress([job()], 0);
  expect(read()).toBeUndefined();
  recordProgress([job({ done: 20 })], 4_000);
  expect(read()).toBe(5);
  // Paused in the meantime.
  recordProgress([job({ done: 20 })], 60_000);
  recordProgress([job({ done: 60 })], 64_000);
  expect(read()).toBe(10);
  recordProgress([ended()], 65_000);
  expect(progressSamples.get().has(7)).toBe(false);
});

test('the rate of an ended job describes its whole time, if that was long enough', () => {
  expect(getRate(ended())).toBe(5);
  expect(getRate(ended({ finishedDate: '2026-11-22T10:00:00.4Z' }))).toBeUndefined();
  expect(getRate(ended({ startedDate: null }))).toBeUndefined();
});

test('progress is the share of all items with an outcome', () => {
  expect(getProgress([job({ done: 50 }), job({ total: 300, failed: 40, conflicts: 5, unchanged: 5 })])).toBe(
    0.25,
  );
  expect(getProgress([])).toBe(0);
});

test('sentences about a job', () => {
  expect(formatEnd(ended())).toBe('Deactivate 100 people: finished, 20 failed');
  expect(formatEnd(ended({ failed: 0, conflicts: 3, state: 'stopped' }))).toBe(
    'Deactivate 100 people: stopped, 3 skipped',
  );
  expect(describeState(ended())).toEqual({ label: 'Finished, 20 failed', tone: 'warn' });
  expect(describeState(ended({ state: 'stopped' })).tone).toBe('bad');
  expect([0.01, 0.5, 2.54, 386.4].map(formatRate)).toEqual([
    '1 a minute',
    '30 a minute',
    '2.5 a second',
    '386 a second',
  ]);
  expect(formatForecast(job(), 5)).toMatch(/^5 a second · done about /);
  expect(formatForecast(job({ state: 'paused' }), 5)).toBeUndefined();
  expect(formatWaiting(job({ afterJobId: 3 }))).toBe('Starts after job 3');
  expect(formatWaiting(job({ notBefore: '2020-01-01T00:00:00Z' }))).toBe('Queued');
  expect(formatEnded(ended({ inverseJobId: 8, state: 'cancelled' }))).toMatch(
    /cancelled · 80 changed · 20 sec · undone$/,
  );
});

test('says what is left of a job that is cancelled', () => {
  expect(describeCancel(job({ state: 'waiting' }))).toBe('Nothing has been changed yet.');
  expect(describeCancel(job())).toBe(
    'What it changes until it stops stays changed; the rest will not be attempted.',
  );
  expect(describeCancel(job({ done: 20 }))).toBe(
    '20 people changed so far stay changed; 80 of 100 will not be attempted.',
  );
  expect(getOutcome(job(), 'open').label).toBe('Not yet');
  for (const state of ['cancelled', 'stopped', 'finished'] as const)
    expect(getOutcome(job({ state }), 'open').label).toBe('Not attempted');
  expect(getOutcome(job({ state: 'cancelled' }), 'done').label).toBe('Changed');
});

test('a moment names the day unless it is today', () => {
  const now = new Date(2026, 10, 22, 16, 0);
  expect(formatMoment(new Date(2026, 10, 22, 17, 4), now)).toMatch(/^(17:04|5:04\sPM)$/);
  expect(formatMoment(new Date(2026, 10, 23, 16, 20), now)).toMatch(/^tomorrow, /);
  expect(formatMoment(new Date(2026, 10, 30, 9, 0), now)).toMatch(/30.*, /);
});

test('tells confirmed outcomes from what is assumed', () => {
  expect(describeCertainty(job(), undefined)).toEqual({
    confirmed: 'nothing yet; no item has been changed',
    assumed: '100 to do as counted at the start',
  });
  expect(describeCertainty(job({ done: 30, failed: 1 }), 10)).toEqual({
    confirmed: '31 outcomes, each stored together with its change',
    assumed: '69 to do as counted at the start, and the expected end, from the pace of the last seconds',
  });
  expect(describeCertainty(ended(), 5)).toEqual({
    confirmed: '100 outcomes, each stored together with its change',
  });
  // The result of an export is a file.
  expect(describeCertainty(job({ kind: 'entries.export' }), 5)).toBeUndefined();
});
