import { expect, test } from 'vitest';
import type { BulkJob } from './job-store.ts';
import { buildReport } from './job.ts';
import type { Outcome } from './outcome.ts';
import type { Person } from './person.ts';
import { parseUndoFile, formatUndoFile, buildUndoRequest } from './undo-file.ts';

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
  timeZone: null,
});
const job: BulkJob = {
  id: 'one',
  identity: { userId: 7, siteId: 1 },
  siteName: 'Northlight',
  userName: 'Dana Example',
  confirmedAt: '2026-03-01T08:00:00.000Z',
  title: 'Set 3 licenses to No License',
  action: { kind: 'license', licenseTypeId: 4 },
  changes: [1, 2, 3].map((id) => ({ person: person(id), after: { ...person(id), licenseTypeId: 4 } })),
  names: new Map(),
};
const outcomes = new Map<number, Outcome>([
  [1, { userId: 1, result: 'done' }],
  [2, { userId: 2, result: 'failed', why: 'Refused, "no"', requestId: 'r1' }],
]);

const undo = buildUndoRequest(job, outcomes);

test('undoes only completed changes and reads back the file it writes', () => {
  if (!undo) throw new Error('There is a way back');
  expect(undo).toEqual({
    action: { kind: 'licenses', each: [{ userId: 1, licenseTypeId: 1 }] },
    userIds: [1],
    lastModifiedBy: 7,
  });
  expect(parseUndoFile(JSON.parse(formatUndoFile(job, undo)), 1)).toEqual(undo);
});

test('restores the time zone of each user, or that of the site', () => {
  const zones = ['Europe/Lisbon', null];
  const changes = zones.map((timeZone, at) => ({
    person: { ...person(at + 1), timeZone },
    after: { ...person(at + 1), timeZone: 'Asia/Tokyo' },
  }));
  const zoneJob: BulkJob = { ...job, action: { kind: 'timeZone', timeZone: 'Asia/Tokyo' }, changes };
  const request = buildUndoRequest(
    zoneJob,
    new Map([1, 2].map((userId) => [userId, { userId, result: 'done' }])),
  );
  expect(request?.action).toEqual({
    kind: 'timeZones',
    each: zones.map((timeZone, at) => ({ userId: at + 1, timeZone })),
  });
  expect(request && parseUndoFile(JSON.parse(formatUndoFile(zoneJob, request)), 1)).toEqual(request);
});

test('rejects files of another site or format with a message', () => {
  if (!undo) throw new Error('There is a way back');
  const text = formatUndoFile(job, undo);
  expect(() => parseUndoFile(JSON.parse(text), 2)).toThrow('Northlight');
  expect(() => parseUndoFile(undefined, 1)).toThrow('not an undo file');
  for (const other of [
    '[]',
    '{}',
    text.replace('"version": 1', '"version": 2'),
    text.replace('"licenses"', '"remove"'),
  ])
    expect(() => parseUndoFile(JSON.parse(other), 1)).toThrow('not an undo file');
});

test('reports every user without formulas', () => {
  const lines = buildReport(job, outcomes).trim().split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain(`"'=cmd|calc"`);
  expect(lines[2]).toContain('"failed","Refused, ""no""","r1"');
  expect(lines[3]).toContain('"pending"');
});
