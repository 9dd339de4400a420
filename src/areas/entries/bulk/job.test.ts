import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { dropBulkJobs } from '../../bulk/drop.ts';
import * as tray from '../../../app/jobs/jobs.ts';
import { schemaOf } from '../model/schema.ts';
import { createEntryJob } from './job.ts';
import { keepEntryJob, keptEntryJobs } from './keep.ts';
import type { EntryJob } from './keep.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

const CITY = 4;
const HOLDER = { userId: 7, siteId: 1 };
const schema = schemaOf(
  [],
  [
    {
      id: CITY,
      entryTypeId: 1,
      apiName: 'City',
      name: 'City',
      fieldType: 1,
      ...PLAIN_FIELD,
    },
  ],
);
const job: EntryJob = {
  id: 'job',
  holder: HOLDER,
  siteName: 'Northlight',
  userName: 'Dana Example',
  at: '2026-03-01T08:00:00.000Z',
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

let held = new Map<number, string>();
/** Called for each request that writes; says what is answered in place of the truth. */
let before: () => Response | undefined = () => undefined;
const fetchBefore = client.getConfig().fetch;
const shown = vi.spyOn(tray, 'reportJob');

beforeEach(async () => {
  await dropBulkJobs();
  held = new Map();
  before = () => undefined;
  shown.mockClear();
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const request = new Request(input, init);
      if (request.method === 'POST')
        return Response.json({
          totalRecords: held.size,
          rows: [...held].map(([EntryId, City]) => ({ EntryId, City })),
        });
      const { storeRequests } = (await request.json()) as { storeRequests: Item[] };
      const errors = storeRequests.flatMap(({ entryId, expected }, at) =>
        (held.get(entryId) ?? null) === expected.value
          ? []
          : [{ path: `storeRequests.${at}.expected`, message: 'City holds another value by now' }],
      );
      if (errors.length > 0) return Response.json({ message: 'No', requestId: 'r', errors }, { status: 400 });
      for (const { entryId, value } of storeRequests) held.set(entryId, value);
      return before() ?? Response.json([]);
    },
  });
});
afterEach(() => {
  client.setConfig({ fetch: fetchBefore });
});

const begin = (outcomes?: Parameters<typeof createEntryJob>[3]) =>
  createEntryJob(new QueryClient(), job, async () => schema, outcomes);
const last = () => shown.mock.lastCall?.[0];
const press = (label: string) =>
  last()
    ?.actions?.find((one) => one.label === label)
    ?.onSelect();

test('goes through all of it by pieces, and offers report and way back', async () => {
  await begin().go();
  expect(last()).toMatchObject({ state: 'done', progress: 1, result: '450 of 450' });
  expect(last()?.actions?.map(({ label }) => label)).toEqual(['Report', 'Undo', 'Save undo file']);
  expect(held.size).toBe(450);
});

test('stops where it is told to, and goes on with what is left', async () => {
  before = () => {
    press('Stop');
    return undefined;
  };
  const running = begin();
  await running.go();
  expect(last()).toMatchObject({ state: 'stopped' });
  expect(held.size).toBe(400);
  before = () => undefined;
  await running.go();
  expect(last()).toMatchObject({ state: 'done', result: '450 of 450' });
});

test('stored without an answer is done all the same, once it goes on', async () => {
  before = () => Response.json({ message: 'Down', requestId: 'r' }, { status: 503 });
  const running = begin();
  await running.go();
  expect(last()?.state).toBe('stopped');
  expect(last()?.result).toMatch(/^0 of 450: /);
  before = () => undefined;
  await running.go();
  expect(last()).toMatchObject({ state: 'done', result: '450 of 450' });
});

test('comes back after a reload with what came of it', async () => {
  await keepEntryJob(job);
  before = () => {
    press('Stop');
    return undefined;
  };
  await begin().go();
  const [kept] = await keptEntryJobs(HOLDER);
  expect(kept?.job.changes).toHaveLength(450);
  expect(kept?.outcomes).toHaveLength(400);
  expect(await keptEntryJobs({ userId: 8, siteId: 1 })).toEqual([]);
});
