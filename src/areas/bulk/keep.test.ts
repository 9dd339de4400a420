import 'fake-indexeddb/auto';
import { beforeEach, expect, test } from 'vitest';
import { dropBulkJobs } from './drop.ts';
import { dropJob, keepJob, keepOutcomes, keptJobs } from './keep.ts';
import type { BulkJob } from './keep.ts';
import type { Person } from './person.ts';

const ME = { userId: 7, siteId: 1 };

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
});
const job = (id: string, more: Partial<BulkJob> = {}): BulkJob => ({
  id,
  holder: ME,
  siteName: 'Northlight',
  userName: 'Dana Example',
  at: '2026-03-01T08:00:00.000Z',
  title: 'Deactivate 2,500 people',
  action: { kind: 'deactivate' },
  changes: Array.from({ length: 2500 }, (_, at) => ({
    person: person(at + 1),
    after: { ...person(at + 1), isActive: false },
  })),
  names: new Map([[2, 'Readers']]),
  ...more,
});

beforeEach(dropBulkJobs);

test('a job comes back whole, with what came of it, until it is dropped', async () => {
  const kept = job('one');
  await keepJob(kept);
  await keepOutcomes('one', [{ userId: 1, result: 'done' }]);
  await keepOutcomes('one', [{ userId: 2, result: 'failed', why: 'no' }]);
  expect(await keptJobs(ME)).toEqual([
    {
      job: kept,
      outcomes: [
        { userId: 1, result: 'done' },
        { userId: 2, result: 'failed', why: 'no' },
      ],
    },
  ]);
  await dropJob('one');
  expect(await keptJobs(ME)).toEqual([]);
});

test('nobody is offered the job of somebody else, nor one of another site; sign-out leaves none', async () => {
  await keepJob(job('elsewhere', { holder: { userId: 7, siteId: 2 } }));
  await keepJob(job('other', { holder: { userId: 8, siteId: 1 } }));
  expect(await keptJobs(ME)).toEqual([]);
  expect(await keptJobs({ userId: 7, siteId: 2 })).toHaveLength(1);
  expect(await keptJobs({ userId: 8, siteId: 1 })).toEqual([]);
  await dropBulkJobs();
  expect(await keptJobs({ userId: 7, siteId: 2 })).toEqual([]);
});
