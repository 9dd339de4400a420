import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { beforeEach, expect, test } from 'vitest';
import { deleteStoredJobs, JOB_DATABASE_NAME } from '../../app/jobs/jobs.ts';
import { deleteBulkJob, saveBulkJob, saveBulkOutcomes, loadBulkJobs } from './job-store.ts';
import type { BulkJob } from './job-store.ts';
import type { Person } from './person.ts';

const IDENTITY = { userId: 7, siteId: 1 };

const person = (id: number): Person => ({
  id,
  name: `Person ${id}`,
  email: `person${id}@northlight.example`,
  modified: '2026-03-01T08:00:00.000Z',
  modifiedBy: null,
  isActive: true,
  licenseTypeId: 1,
  groups: [2],
  twoFactor: false,
  approvedAddresses: false,
  timeZone: null,
});
const job = (id: string, more: Partial<BulkJob> = {}): BulkJob => ({
  id,
  identity: IDENTITY,
  siteName: 'Northlight',
  userName: 'Dana Example',
  confirmedAt: '2026-03-01T08:00:00.000Z',
  title: 'Deactivate 2,500 people',
  action: { kind: 'deactivate' },
  changes: Array.from({ length: 2500 }, (_, at) => ({
    person: person(at + 1),
    after: { ...person(at + 1), isActive: false },
  })),
  names: new Map([[2, 'Readers']]),
  ...more,
});

beforeEach(deleteStoredJobs);

test('restores a complete job with its outcomes until it is deleted', async () => {
  const remaining = job('one');
  await saveBulkJob(remaining);
  await saveBulkOutcomes('one', [{ userId: 1, result: 'done' }]);
  await saveBulkOutcomes('one', [{ userId: 2, result: 'failed', why: 'no' }]);
  expect(await loadBulkJobs(IDENTITY)).toEqual([
    {
      job: remaining,
      outcomes: [
        { userId: 1, result: 'done' },
        { userId: 2, result: 'failed', why: 'no' },
      ],
    },
  ]);
  await deleteBulkJob('one');
  expect(await loadBulkJobs(IDENTITY)).toEqual([]);
});

test('offers a job only to the user and site that started it; sign-out deletes all', async () => {
  await saveBulkJob(job('elsewhere', { identity: { userId: 7, siteId: 2 } }));
  await saveBulkJob(job('other', { identity: { userId: 8, siteId: 1 } }));
  expect(await loadBulkJobs(IDENTITY)).toEqual([]);
  expect(await loadBulkJobs({ userId: 7, siteId: 2 })).toHaveLength(1);
  expect(await loadBulkJobs({ userId: 8, siteId: 1 })).toEqual([]);
  await deleteStoredJobs();
  expect(await loadBulkJobs({ userId: 7, siteId: 2 })).toEqual([]);
});

test('a job started while acting is not kept, and acting is offered no job at all', async () => {
  const acting = { ...IDENTITY, reportId: 5 };
  await saveBulkJob(job('own'));
  await saveBulkJob(job('acting', { identity: acting }));
  await saveBulkOutcomes('acting', [{ userId: 1, result: 'done' }]);
  expect(await loadBulkJobs(acting)).toEqual([]);
  expect((await loadBulkJobs(IDENTITY)).map(({ job: { id } }) => id)).toEqual(['own']);
  // Nothing of the principal's data stays in the browser.
  const database = await openDB(JOB_DATABASE_NAME);
  expect(await database.getAllFromIndex('items', 'jobId', 'acting')).toEqual([]);
  expect(await database.getAllFromIndex('outcomes', 'jobId', 'acting')).toEqual([]);
  database.close();
});
