import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { deleteStoredJobs } from '../../../app/jobs/jobs.ts';
import * as tray from '../../../app/jobs/jobs.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { saveEntryJob, loadEntryJobs } from './execute-changes.ts';
import type { EntryJob } from './execute-changes.ts';
import { createEntryJob } from './job.ts';

const CITY = 4;
const HOLDER = { userId: 7, siteId: 1 };
const schema = buildSchema(
  [],
  [
    {
      id: CITY,
      entryTypeId: 1,
      apiName: 'City',
      name: 'City',
      fieldType: 1,
      ...FIELD_DEFAULTS,
    },
  ],
);
const job: EntryJob = {
  id: 'job',
  identity: HOLDER,
  siteName: 'Northlight',
  userName: 'Dana Example',
  confirmedAt: '2026-03-01T08:00:00.000Z',
  title: 'Edit 450 Deals',
  typeId: 1,
  typeName: 'Deal',
  changes: Array.from({ length: 450 }, (_, at) => ({
    entryId: at + 1,
    name: `Deal ${at}`,
    cells: [{ fieldId: CITY, before: undefined, after: 'Oslo' }],
  })),
  refused: [],
};

interface Item {
  entryId: number;
  value: string;
  expected: { value: unknown };
}

let storedValues = new Map<number, string>();
/** Called for each write; may return a response in place of the real one. */
let answerWrite: () => Response | undefined = () => undefined;
const fetchBefore = client.getConfig().fetch;
const upsertSpy = vi.spyOn(tray, 'upsertJob');

beforeEach(async () => {
  await deleteStoredJobs();
  storedValues = new Map();
  answerWrite = () => undefined;
  upsertSpy.mockClear();
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const request = new Request(input, init);
      if (request.method === 'POST')
        return Response.json({
          totalRecords: storedValues.size,
          rows: [...storedValues].map(([EntryId, City]) => ({ EntryId, City })),
        });
      const { storeRequests } = (await request.json()) as { storeRequests: Item[] };
      const errors = storeRequests.flatMap(({ entryId, expected }, at) =>
        (storedValues.get(entryId) ?? null) === expected.value
          ? []
          : [{ path: `storeRequests.${at}.expected`, message: 'City no longer has the expected value' }],
      );
      if (errors.length > 0) return Response.json({ message: 'No', requestId: 'r', errors }, { status: 400 });
      for (const { entryId, value } of storeRequests) storedValues.set(entryId, value);
      return answerWrite() ?? Response.json([]);
    },
  });
});
afterEach(() => {
  client.setConfig({ fetch: fetchBefore });
});

const createJob = (outcomes?: Parameters<typeof createEntryJob>[3]) =>
  createEntryJob(new QueryClient(), job, async () => schema, outcomes);
const getLastReport = () => upsertSpy.mock.lastCall?.[0];
const press = (label: string) =>
  getLastReport()
    ?.actions?.find((one) => one.label === label)
    ?.onSelect();

test('writes all batches and offers report and undo', async () => {
  await createJob().go();
  expect(getLastReport()).toMatchObject({ state: 'done', progress: 1, result: '450 of 450' });
  expect(getLastReport()?.actions?.map(({ label }) => label)).toEqual(['Report', 'Undo', 'Save undo file']);
  expect(storedValues.size).toBe(450);
});

test('stops on request and resumes with the remaining entries', async () => {
  answerWrite = () => {
    press('Stop');
    return undefined;
  };
  const running = createJob();
  await running.go();
  expect(getLastReport()).toMatchObject({ state: 'stopped' });
  expect(storedValues.size).toBe(400);
  answerWrite = () => undefined;
  await running.go();
  expect(getLastReport()).toMatchObject({ state: 'done', result: '450 of 450' });
});

test('completes entries whose write was stored without an answer', async () => {
  answerWrite = () => Response.json({ message: 'Down', requestId: 'r' }, { status: 503 });
  const running = createJob();
  await running.go();
  expect(getLastReport()?.state).toBe('stopped');
  expect(getLastReport()?.result).toMatch(/^0 of 450: /);
  answerWrite = () => undefined;
  await running.go();
  expect(getLastReport()).toMatchObject({ state: 'done', result: '450 of 450' });
});

test('restores a job with its outcomes after a reload', async () => {
  await saveEntryJob(job);
  answerWrite = () => {
    press('Stop');
    return undefined;
  };
  await createJob().go();
  const [stored] = await loadEntryJobs(HOLDER);
  expect(stored?.job.changes).toHaveLength(450);
  expect(stored?.outcomes).toHaveLength(400);
  expect(await loadEntryJobs({ userId: 8, siteId: 1 })).toEqual([]);
});
