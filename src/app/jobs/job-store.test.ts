import 'fake-indexeddb/auto';
import { deleteDB, openDB } from 'idb';
import { expect, test } from 'vitest';
import { createJobStore } from './job-store.ts';
import { JOB_DATABASE_NAME } from './jobs.ts';

test('opens the database again after it could not be opened', async () => {
  const store = createJobStore<{ id: string; identity: { userId: number; siteId: number } }, object>(
    'import',
  );
  const identity = { userId: 7, siteId: 1 };
  await deleteDB(JOB_DATABASE_NAME);
  (await openDB(JOB_DATABASE_NAME, 99)).close();
  await expect(store.loadJobs(identity)).rejects.toThrow('lower version');
  await deleteDB(JOB_DATABASE_NAME);
  expect(await store.loadJobs(identity)).toEqual([]);
});
