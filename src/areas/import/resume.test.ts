import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toServiceError } from '../../api/errors.ts';
import { client } from '../../api/generated/client.gen.ts';
import { dropBulkJobs } from '../bulk/drop.ts';
import { createImport, startImport } from './job.ts';
import { keptImports } from './keep.ts';
import type { ImportJob } from './keep.ts';
import type { SentRow } from './plan.ts';
import { failedFile } from './report.ts';
import { importRun, leaveImport } from './run.ts';

const ME = { userId: 7, siteId: 1 };
const emailOf = (row: number) => `p${row}@people.example`;
const sent = (row: number): SentRow => ({
  plan: {
    row,
    outcome: 'create',
    id: undefined,
    name: `P ${row}`,
    detail: emailOf(row),
    changes: [],
    faults: [],
    work: { create: { email: emailOf(row), firstName: 'P', lastName: String(row) } },
  },
  cells: [emailOf(row), 'P', String(row)],
});
const job = (): ImportJob => ({
  id: crypto.randomUUID(),
  holder: ME,
  about: { place: 'people', words: ['person', 'people'], labels: {}, detail: 'E-mail' },
  fileName: 'people.xlsx',
  sheet: 'Berlin',
  headings: ['E-mail', 'First name', 'Last name'],
  rows: Array.from({ length: 8 }, (_, at) => sent(at + 2)),
});

const NOW = Promise.resolve();
/** Who is on the site, and what was asked; `lost` addresses are created without an answer, `taken` are refused; it answers when it is `ready`. */
const site = {
  people: new Map<string, number>(),
  creations: [] as string[],
  lost: '',
  taken: '',
  ready: NOW,
};

async function create(request: Request): Promise<Response> {
  const { email } = (await request.json()) as { email: string };
  site.creations.push(email);
  await site.ready;
  if (email === site.taken || site.people.has(email))
    return Response.json({ message: 'Taken' }, { status: 409 });
  site.people.set(email, 100 + site.people.size);
  // The page is gone before the answer comes.
  if (email === site.lost) return new Promise(() => undefined);
  return Response.json(site.people.get(email));
}

const before = client.getConfig().fetch;
client.interceptors.error.use((error, response) => toServiceError(error, response));

beforeEach(async () => {
  await dropBulkJobs();
  leaveImport('people');
  Object.assign(site, { people: new Map(), creations: [], lost: '', taken: '', ready: NOW });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      if (!(request instanceof Request)) throw new TypeError('A request');
      if (request.method === 'POST') return create(request);
      const email = new URL(request.url).searchParams.get('email') ?? '';
      return Response.json([{ id: site.people.get(email), email }]);
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

const results = () => importRun('people')?.results;

test('an import goes on after a reload where it was: nobody is sent twice, nobody is left out', async () => {
  site.lost = emailOf(4);
  site.taken = emailOf(3);
  await startImport(new QueryClient(), job());
  await expect.poll(() => results()?.size).toBe(7);
  await expect.poll(async () => (await keptImports(ME))[0]?.notes.length).toBeGreaterThan(8);

  leaveImport('people');
  const [kept] = await keptImports(ME);
  if (!kept) throw new Error('Nothing was kept');
  const again = createImport(new QueryClient(), kept.job, kept.notes);
  again.showEnd();
  expect(importRun('people')).toMatchObject({ state: 'stopped', sheet: 'Berlin' });
  site.creations.length = 0;
  again.goOn();
  await expect.poll(() => importRun('people')?.state).toBe('failed');
  expect(site.people.size).toBe(7);
  expect(results()?.get(4)).toMatchObject({ result: 'done', id: site.people.get(emailOf(4)) });
  // Refused before the reload is refused after it: the person of that address is somebody else's.
  expect(results()?.get(3)).toMatchObject({ result: 'failed', why: 'Taken' });
  expect(site.creations).not.toContain(emailOf(3));
  const run = importRun('people');
  expect(run && (await failedFile(run).text())).toContain(`"${emailOf(3)}","P","3","3","Taken"`);
});

test('a pause holds back also what has not begun, and going on twice sends nothing twice', async () => {
  await startImport(new QueryClient(), job());
  importRun('people')?.pause();
  await expect.poll(() => importRun('people')?.state).toBe('stopped');
  expect(site.creations).toEqual([]);
  const { promise, resolve } = Promise.withResolvers<void>();
  site.ready = promise;
  const run = importRun('people');
  run?.goOn();
  run?.goOn();
  // As many as are on their way at once.
  await expect.poll(() => site.creations.length).toBe(4);
  resolve();
  await expect.poll(() => importRun('people')?.state).toBe('done');
  expect(site.creations).toHaveLength(8);
});

test('nobody goes on with the import of somebody else, nor on another site', async () => {
  await startImport(new QueryClient(), job());
  await expect.poll(() => importRun('people')?.state).toBe('done');
  expect(await keptImports({ ...ME, siteId: 2 })).toEqual([]);
  expect(await keptImports(ME)).toHaveLength(1);
  expect(await keptImports({ ...ME, userId: 8 })).toEqual([]);
  expect(await keptImports(ME)).toEqual([]);
});
