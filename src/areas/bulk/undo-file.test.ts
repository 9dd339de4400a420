import { expect, test } from 'vitest';
import type { BulkJob } from './keep.ts';
import type { Outcome } from './outcome.ts';
import type { Person } from './person.ts';
import { reportOf } from './report.ts';
import { readUndoFile, undoFile, undoOf } from './undo-file.ts';

const person = (id: number): Person => ({
  id,
  name: id === 1 ? '=cmd|calc' : `Person ${id}`,
  email: `person${id}@northlight.example`,
  modified: '2026-03-01T08:00:00.000Z',
  modifiedBy: null,
  isActive: true,
  licenseTypeId: id,
  groups: [],
  twoFactor: false,
  approvedAddresses: false,
});
const job: BulkJob = {
  id: 'one',
  holder: { userId: 7, siteId: 1 },
  siteName: 'Northlight',
  userName: 'Dana Example',
  at: '2026-03-01T08:00:00.000Z',
  title: 'Set 3 licenses to No License',
  action: { kind: 'license', licenseTypeId: 4 },
  changes: [1, 2, 3].map((id) => ({ person: person(id), after: { ...person(id), licenseTypeId: 4 } })),
  names: new Map(),
};
const outcomes = new Map<number, Outcome>([
  [1, { userId: 1, result: 'done' }],
  [2, { userId: 2, result: 'failed', why: 'Refused, "no"', requestId: 'r1' }],
]);

const undo = undoOf(job, outcomes);

test('only what was done is undone, and the file says the same when it is read again', () => {
  if (!undo) throw new Error('There is a way back');
  expect(undo).toEqual({
    action: { kind: 'licenses', each: [{ userId: 1, licenseTypeId: 1 }] },
    userIds: [1],
    lastBy: 7,
  });
  expect(readUndoFile(JSON.parse(undoFile(job, undo)), 1)).toEqual(undo);
});

test('a file of another site, of another format or no file at all is refused in words', () => {
  if (!undo) throw new Error('There is a way back');
  const text = undoFile(job, undo);
  expect(() => readUndoFile(JSON.parse(text), 2)).toThrow('Northlight');
  expect(() => readUndoFile(undefined, 1)).toThrow('no undo file');
  for (const other of [
    '[]',
    '{}',
    text.replace('"version": 1', '"version": 2'),
    text.replace('"licenses"', '"remove"'),
  ])
    expect(() => readUndoFile(JSON.parse(other), 1)).toThrow('no undo file');
});

test('the report has a line for everybody, and no formula', () => {
  const lines = reportOf(job, outcomes).trim().split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain(`"'=cmd|calc"`);
  expect(lines[2]).toContain('"failed","Refused, ""no""","r1"');
  expect(lines[3]).toContain('"not yet"');
});
