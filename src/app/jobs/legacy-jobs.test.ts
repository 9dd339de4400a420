import 'fake-indexeddb/auto';
import { beforeEach, expect, test } from 'vitest';
import { confirmStore } from '../../ui/dialog/confirm.ts';
import { createJobStore } from './job-store.ts';
import { deleteStoredJobs } from './jobs.ts';
import { offerLegacyJobReport } from './legacy-jobs.ts';

const IDENTITY = { userId: 7, siteId: 1 };
const START = { identity: IDENTITY, siteName: 'Northlight', confirmedAt: '2026-03-01T08:00:00.000Z' };

/** Stores one job of each kind as the earlier version did. */
async function storeJobs(): Promise<void> {
  const people = createJobStore<typeof START & { id: string; title: string }, object, object>('bulk');
  await people.save({ ...START, id: 'people', title: 'Deactivate 3 people' }, [
    { person: { id: 1, name: '=cmd|calc', email: 'one@northlight.example' } },
    { person: { id: 2, name: 'Two', email: 'two@northlight.example' } },
    { person: { id: 3, name: 'Three', email: 'three@northlight.example' } },
  ]);
  await people.addOutcomes('people', [{ userId: 1, result: 'done' }]);
  await people.addOutcomes('people', [
    { userId: 2, result: 'failed', why: 'Refused, "no"', requestId: 'r1' },
  ]);
  const entries = createJobStore<typeof START & { id: string; title: string }, object, object>('entries');
  await entries.save({ ...START, id: 'entries', title: 'Change 1 vessel' }, [{ entryId: 9, name: 'Argo' }]);
  await entries.addOutcomes('entries', [{ entryId: 9, result: 'conflict' }]);
  const imports = createJobStore<{ id: string; identity: typeof IDENTITY; fileName: string }, object, object>(
    'import',
  );
  await imports.save({ id: 'import', identity: IDENTITY, fileName: 'people.csv' }, [
    { plan: { row: 2, name: 'Ann', detail: 'ann@northlight.example' }, cells: [] },
    { plan: { row: 3, name: 'Ben', detail: 'ben@northlight.example' }, cells: [] },
  ]);
  await imports.addOutcomes('import', [{ row: 2, sending: true }]);
  await imports.addOutcomes('import', [{ row: 2, result: { result: 'done', id: 5, done: [] } }]);
  await imports.addOutcomes('import', [{ row: 3, sending: true }]);
}

/** Offers the jobs and answers; returns the saved report, or undefined if nothing was offered. */
async function offer(answer: boolean, identity = IDENTITY): Promise<string | undefined> {
  const saved: string[] = [];
  const offered = offerLegacyJobReport(identity, (_name, content) => saved.push(content));
  let hasEnded = false;
  void offered.then(() => (hasEnded = true));
  await expect.poll(() => hasEnded || confirmStore.get() !== null).toBe(true);
  confirmStore.get()?.settle(answer);
  await offered;
  return saved.at(0);
}

beforeEach(deleteStoredJobs);

test('reports every item of all jobs once and deletes them', async () => {
  await storeJobs();
  const lines = (await offer(true))?.trim().split('\r\n').slice(1) ?? [];
  expect(lines).toHaveLength(6);
  expect(lines[0]).toContain(`"'=cmd|calc","one@northlight.example","done"`);
  expect(lines[1]).toContain('"failed","Refused, ""no""","r1"');
  expect(lines[2]).toContain('"not started"');
  expect(lines[3]).toContain('"Argo","","skipped: changed in the meantime"');
  expect(lines[4]).toContain('"Import people.csv","",2,"Ann","ann@northlight.example","done"');
  expect(lines[5]).toContain('"no answer"');
  expect(await offer(true)).toBeUndefined();
});

test('reports imports of entries, which an earlier version continued after a reload', async () => {
  const imports = createJobStore<object & { id: string; identity: typeof IDENTITY }, object, object>(
    'import',
  );
  const entries = { id: 'vessels', identity: IDENTITY, fileName: 'vessels.csv', description: { typeId: 3 } };
  await imports.save(entries, [
    { plan: { row: 2, name: 'Argo', detail: '' }, cells: [] },
    { plan: { row: 3, name: 'Beagle', detail: 'Entry 7' }, cells: [] },
  ]);
  await imports.addOutcomes('vessels', [
    { row: 2, result: { result: 'partly', id: 5, done: [], why: 'No' } },
  ]);
  const report = await offer(true);
  expect(report).toContain('"Import vessels.csv","",2,"Argo","","in part","No"');
  expect(report).toContain('3,"Beagle","Entry 7","not started"');
  expect(await imports.loadJobs(IDENTITY)).toEqual([]);
});

test('offers jobs again that were not downloaded, and only to the user and site that started them', async () => {
  await storeJobs();
  expect(await offer(false)).toBeUndefined();
  expect(await offer(true, { userId: 7, siteId: 2 })).toBeUndefined();
  expect(await offer(true)).toContain('Argo');
});
