import { expect, test } from 'vitest';
import type { ReportRun } from '../../../../contract/generated/types.gen.ts';
import { findComparable, toDifferenceRows } from './comparison.ts';

const run = (runId: number, changes: Partial<ReportRun> = {}): ReportRun => ({
  runId,
  jobId: runId,
  templateId: 3,
  templateName: 'Profile',
  templateVersion: 1,
  entryTypeId: 1,
  format: 'docx',
  document: 'one',
  status: 'Ready',
  progress: 100,
  createdDate: '2026-03-01T08:00:00.000Z',
  requestedBy: 7,
  isRemoved: false,
  ...changes,
});

test('a report is compared with those of its template whose values are kept', () => {
  const runs = [
    run(5),
    run(4, { templateId: 2 }),
    run(3, { isRemoved: true }),
    run(2, { requestedBy: 8 }),
    run(1),
  ];
  expect(findComparable(runs, run(5), 7).map(({ runId }) => runId)).toEqual([1]);
  expect(findComparable(runs, run(3, { isRemoved: true }), 7)).toEqual([]);
});

test('a row for each changed value, and one for each entry that came or went', () => {
  const rows = toDifferenceRows({
    runId: 1,
    otherRunId: 5,
    added: [{ entryId: 10, name: 'New' }],
    removed: [{ entryId: 11, name: 'Old' }],
    changed: [{ entryId: 12, name: 'Acme', values: [{ path: 'City', before: null, after: 'Kiel' }] }],
    counts: { added: 1, removed: 1, changed: 1, unchanged: 0 },
    isTruncated: false,
  });
  expect(rows).toMatchObject([
    { name: 'Acme', kind: 'changed', path: 'City', before: '', after: 'Kiel' },
    { name: 'New', kind: 'added' },
    { name: 'Old', kind: 'removed' },
  ]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
});
