import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toServiceError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { registerImporter } from '../../../app/jobs/importers.ts';
import { deleteStoredJobs } from '../../../app/jobs/jobs.ts';
import type { ConfirmedRow } from '../../../files/import-plan/plan.ts';
import {
  createImportJob,
  startImport,
  loadImports,
  buildFailedFile,
  getImportRun,
  removeImportRun,
} from '../../import/index.ts';
import type { ImportJob } from '../../import/index.ts';
import { peopleExecutor } from './executor.ts';

registerImporter('people', () => Promise.resolve(peopleExecutor));

const ME = { userId: 7, siteId: 1 };
const emailOf = (row: number) => `p${row}@people.example`;
const sent = (row: number): ConfirmedRow => ({
  plan: {
    row,
    outcome: 'create',
    id: undefined,
    name: `P ${row}`,
    detail: emailOf(row),
    changes: [],
    errors: [],
    work: { create: { email: emailOf(row), firstName: 'P', lastName: String(row) } },
  },
  cells: [emailOf(row), 'P', String(row)],
});
const job = (): ImportJob => ({
  id: crypto.randomUUID(),
  identity: ME,
  description: { runKey: 'people', nouns: ['person', 'people'], labels: {}, detailLabel: 'E-mail' },
  fileName: 'people.xlsx',
  sheet: 'Berlin',
  headings: ['E-mail', 'First name', 'Last name'],
  rows: Array.from({ length: 8 }, (_, at) => sent(at + 2)),
});

const NOW = Promise.resolve();
/**
 * Simulated service: `lost` addresses are created without an answer, `taken` ones are refused; it answers once `ready`
 * resolves.
 */
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
  // The page is closed before the answer comes.
  if (email === site.lost) return new Promise(() => undefined);
  return Response.json(site.people.get(email));
}

const before = client.getConfig().fetch;
client.interceptors.error.use((error, response) => toServiceError(error, response));

beforeEach(async () => {
  await deleteStoredJobs();
  removeImportRun('people');
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

const results = () => getImportRun('people')?.results;

test('resumes after a reload without sending or skipping users twice', async () => {
  site.lost = emailOf(4);
  site.taken = emailOf(3);
  await startImport(new QueryClient(), job());
  await expect.poll(() => results()?.size).toBe(7);
  await expect.poll(async () => (await loadImports(ME))[0]?.notes.length).toBeGreaterThan(8);

  removeImportRun('people');
  const [stored] = await loadImports(ME);
  if (!stored) throw new Error('Nothing was kept');
  const resumed = createImportJob(new QueryClient(), stored.job, stored.notes);
  resumed.showEnd();
  expect(getImportRun('people')).toMatchObject({ state: 'stopped', sheet: 'Berlin' });
  site.creations.length = 0;
  resumed.goOn();
  await expect.poll(() => getImportRun('people')?.state).toBe('failed');
  expect(site.people.size).toBe(7);
  expect(results()?.get(4)).toMatchObject({ result: 'done', id: site.people.get(emailOf(4)) });
  // A user refused before the reload stays refused: the address belongs to another user.
  expect(results()?.get(3)).toMatchObject({ result: 'failed', why: 'Taken' });
  expect(site.creations).not.toContain(emailOf(3));
  const run = getImportRun('people');
  expect(run && (await buildFailedFile(run).text())).toContain(`"${emailOf(3)}","P","3","3","Taken"`);
});

test('pauses before the first request, and resumes only once if asked twice', async () => {
  await startImport(new QueryClient(), job());
  getImportRun('people')?.pause();
  await expect.poll(() => getImportRun('people')?.state).toBe('stopped');
  expect(site.creations).toEqual([]);
  const { promise, resolve } = Promise.withResolvers<void>();
  site.ready = promise;
  const run = getImportRun('people');
  run?.resume();
  run?.resume();
  // The number of concurrent requests.
  await expect.poll(() => site.creations.length).toBe(4);
  resolve();
  await expect.poll(() => getImportRun('people')?.state).toBe('done');
  expect(site.creations).toHaveLength(8);
});

test('resumes only imports of the same user and site', async () => {
  await startImport(new QueryClient(), job());
  await expect.poll(() => getImportRun('people')?.state).toBe('done');
  expect(await loadImports({ ...ME, siteId: 2 })).toEqual([]);
  expect(await loadImports(ME)).toHaveLength(1);
  expect(await loadImports({ ...ME, userId: 8 })).toEqual([]);
  expect(await loadImports(ME)).toEqual([]);
});
