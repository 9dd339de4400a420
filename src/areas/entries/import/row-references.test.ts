import { QueryClient } from '@tanstack/react-query';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoreRequestsVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { toServiceError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { registerImporter } from '../../../app/jobs/importers.ts';
import { createImportJob, getImportRun, removeImportRun, buildFailedFile } from '../../import/index.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { createEntryExecutor } from './executor.ts';
import { createRowChecker } from './row-checker.ts';
import { guessRules } from './setup.ts';
import { guessMapping } from './targets.ts';

registerImporter('entries', (typeId) => Promise.resolve(createEntryExecutor(typeId)));

const NAME: Field = {
  id: 1,
  entryTypeId: 9,
  apiName: 'Name',
  name: 'Name',
  fieldType: FIELD.text,
  ...FIELD_DEFAULTS,
  isKey: true,
  isRequired: true,
};
const CODE: Field = { ...NAME, id: 2, apiName: 'Code', name: 'Code', isKey: false, isRequired: false };
const PARENT: Field = {
  ...CODE,
  id: 3,
  apiName: 'Parent',
  name: 'Parent',
  fieldType: FIELD.reference,
  entryLists: [9],
};

interface Line {
  Name: string;
  Code?: string;
  Parent?: string;
}

const site = {
  parent: PARENT,
  entries: new Map<number, Record<string, unknown>>(),
  refused: '',
  /** Number of the request whose answer is lost. */
  lost: -1,
  requests: 0,
};
const named = (id: unknown) => ({ id, name: String(site.entries.get(Number(id))?.['Name']), entryListId: 9 });

function store({ storeRequests = [] }: StoreRequestsVm): Response {
  const fields = new Map([NAME, CODE, site.parent].map((field) => [field.id, field.apiName]));
  const errors = storeRequests.flatMap(({ entryId, fieldId, value, expected }, at) => {
    const field = fields.get(fieldId) ?? '';
    const now = site.entries.get(entryId)?.[field] ?? null;
    if (field === 'Name' && value === site.refused)
      return [{ path: `storeRequests.${at}.value`, message: 'No' }];
    if (expected && now !== expected.value)
      return [{ path: `storeRequests.${at}.expected`, message: 'Other' }];
    return field === 'Parent' && !site.entries.has(Number(value))
      ? [{ path: `storeRequests.${at}.value`, message: 'There is no such entry' }]
      : [];
  });
  const created = Map.groupBy(storeRequests, ({ entryId }) => entryId);
  for (const [id, items] of created)
    if (id < 0 && site.parent.isRequired && !items.some(({ fieldId }) => fieldId === PARENT.id))
      errors.push({
        path: `storeRequests.${storeRequests.findIndex((one) => one.entryId === id)}.value`,
        message: 'Needs its parent',
      });
  if (errors.length > 0) return Response.json({ message: 'Invalid', errors }, { status: 400 });
  const ids = new Map([...created.keys()].map((id, at) => [id, id > 0 ? id : 101 + site.entries.size + at]));
  for (const { entryId, fieldId, value } of storeRequests) {
    const id = ids.get(entryId) ?? 0;
    site.entries.set(id, { ...site.entries.get(id), [fields.get(fieldId) ?? '']: value });
  }
  site.requests += 1;
  if (site.requests === site.lost) throw new TypeError('Failed to fetch');
  return Response.json(storeRequests.map(({ entryId, fieldId }) => ({ entryId: ids.get(entryId), fieldId })));
}

function query({ query: requested }: { query?: Record<string, { $in?: unknown[] }> }): Response {
  const rows = [...site.entries].map(([EntryId, { Parent, ...row }]) => ({
    EntryId,
    ...row,
    ...(Parent !== undefined && { Parent: [named(Parent)] }),
  }));
  const found = rows.filter((row) =>
    Object.entries(requested ?? {}).every(([key, { $in }]) => $in?.includes(Reflect.get(row, key)) ?? true),
  );
  return Response.json({ totalRecords: found.length, rows: found.toSorted((a, b) => a.EntryId - b.EntryId) });
}

const before = client.getConfig().fetch;
client.interceptors.error.use((error, response) => toServiceError(error, response));
beforeEach(() => {
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      if (!(request instanceof Request)) throw new TypeError('A request');
      const { pathname } = new URL(request.url);
      if (pathname.endsWith('/allfields')) return Response.json([NAME, CODE, site.parent]);
      return pathname.includes('/rows/') ? query(await request.json()) : store(await request.json());
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

/** A checker with these lines, checked. */
async function check(lines: readonly Line[], key = '', isRequired = false) {
  Object.assign(site, { parent: { ...PARENT, isRequired }, refused: '', lost: -1, requests: 0 });
  const fields = [NAME, CODE, site.parent];
  const headings = ['Name', 'Code', 'Parent'] as const;
  const text = formatCsv([
    [...headings],
    ...lines.map((line) => headings.map((heading) => line[heading] ?? '')),
  ]);
  const checker = createRowChecker();
  const file = await checker.open(new Blob([text]), () => undefined);
  if ('error' in file) throw new Error(file.error);
  const rules = { ...guessRules(file, fields), near: 'allow' as const };
  const request = { fields, mapping: guessMapping(file.headings, fields), rules, key };
  const needs = checker.getMissingLookups(request);
  const rows = [...site.entries].map(([EntryId, row]) => ({
    EntryId,
    Name: String(row['Name']),
    Code: String(row['Code']),
  }));
  const requested = new Set(needs.references.flatMap(({ names }) => names));
  const called = rows
    .filter(({ Name }) => requested.has(Name))
    .map(({ EntryId, Name }) => ({ id: EntryId, name: Name }));
  checker.addReferences([9], called);
  if (key !== '') checker.addEntries(rows, request);
  checker.check(request);
  return checker;
}

const checkAndDescribe = async (...requested: Parameters<typeof check>) =>
  (await check(...requested))
    .getPlansByOutcome([], 0, 100)
    .map(({ outcome, errors, changes }) =>
      [
        outcome,
        ...errors.map(({ field, message }) => `${field}: ${message}`),
        ...changes.filter(({ field }) => field === 'Parent').map(({ after }) => after),
      ].join(' · '),
    );

/** Runs the import, resuming whenever it pauses. */
async function run(checker: Awaited<ReturnType<typeof check>>): Promise<void> {
  const id = crypto.randomUUID();
  const description = {
    runKey: 'entries:9',
    typeId: 9,
    nouns: ['entry', 'entries'] as const,
    labels: {},
    idHeading: 'EntryId',
  };
  const job = {
    id,
    identity: { userId: 1, siteId: 1 },
    description,
    fileName: 'x.csv',
    headings: ['Name', 'Code', 'Parent'],
    rows: checker.getConfirmedRows(0, 1000),
  };
  removeImportRun(description.runKey);
  const one = createImportJob(new QueryClient(), job);
  for (let times = 0; times < 3; times += 1) {
    one.goOn();
    // Resumes where it paused.
    await expect.poll(() => getImportRun(description.runKey)?.state, { interval: 1 }).not.toBe('running');
    if (getImportRun(description.runKey)?.state !== 'stopped') return;
  }
}

const parents = () =>
  Object.fromEntries(
    [...site.entries.values()].map((one) => [one['Name'], site.entries.get(Number(one['Parent']))?.['Name']]),
  );

beforeEach(() => void (site.entries = new Map([[7, { Name: 'Root', Code: 'r' }]])));

test('shows the referenced row, by name or by key', async () => {
  const lines = [
    { Name: 'Child', Code: 'c', Parent: 'Mother' },
    { Name: 'Mother', Code: 'm', Parent: 'R' },
    { Name: 'Renamed', Code: 'r' },
    { Name: 'Other', Code: 'o', Parent: 'renamed' },
  ];
  expect(await checkAndDescribe(lines, 'Code')).toEqual([
    'create · Mother (row 3)',
    'create · Renamed',
    'update',
    'create · Renamed',
  ]);
});

test('refuses rows that refer to rows that cannot be imported', async () => {
  const lines = [
    { Name: 'A', Parent: 'B' },
    { Name: 'B', Parent: 'Nobody' },
    { Name: 'C', Parent: 'A' },
    { Name: 'D', Parent: 'Root' },
  ];
  expect(await checkAndDescribe(lines)).toEqual([
    'cannot · Parent: Row 3, which it refers to, cannot be imported',
    'cannot · Parent: There is no entry “Nobody”',
    'cannot · Parent: Row 2, which it refers to, cannot be imported',
    'create · Root',
  ]);
  expect(await checkAndDescribe([{ Name: 'A', Parent: 'B' }, { Name: 'B' }, { Name: 'B' }])).toContain(
    'cannot · Parent: Several are named “B”: row 3, row 4. Use the id',
  );
});

test('refuses cycles of required references and imports optional ones', async () => {
  const circle = [
    { Name: 'A', Parent: 'B' },
    { Name: 'B', Parent: 'A' },
    { Name: 'C', Parent: 'C' },
    { Name: 'D', Parent: 'A' },
  ];
  expect(await checkAndDescribe(circle, '', true)).toEqual([
    'cannot · Parent: Refers to row 3, which refers back to this one, but is required when the entry is created',
    'cannot · Parent: Refers to row 2, which refers back to this one, but is required when the entry is created',
    'cannot · Parent: Refers to its own row, but is required when the entry is created',
    'cannot · Parent: Row 2, which it refers to, cannot be imported',
  ]);
  await run(await check(circle));
  expect(parents()).toEqual({ Root: undefined, A: 'B', B: 'A', C: 'C', D: 'A' });
  expect(site.requests).toBe(2);
});

test('reports a row refused by the service to the rows that refer to it', async () => {
  const checker = await check([{ Name: 'A', Parent: 'B' }, { Name: 'B' }, { Name: 'C', Parent: 'A' }]);
  site.refused = 'B';
  await run(checker);
  const ended = getImportRun('entries:9');
  const results = ended?.results;
  expect(results?.get(3)).toMatchObject({ result: 'failed', why: 'No' });
  expect(results?.get(2)).toMatchObject({
    result: 'partly',
    done: ['Created'],
    why: 'Row 3, which it refers to, was not imported',
  });
  expect(parents()).toEqual({ Root: undefined, A: undefined, C: 'A' });
  // Corrected and imported again, existing entries are not created twice.
  const { id } = results?.get(2) ?? {};
  expect(ended && (await buildFailedFile(ended).text())).toContain(`"A","","B","${id}","2"`);
});

test('creates every entry once with its references, whichever answer is lost', async () => {
  const file = fc.integer({ min: 1, max: 9 }).chain((length) =>
    fc.record({
      parents: fc.array(fc.option(fc.nat(length - 1)), { minLength: length, maxLength: length }),
      isRequired: fc.boolean(),
      lost: fc.integer({ min: 1, max: 4 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(file, async ({ parents: tree, isRequired, lost }) => {
      site.entries = new Map([[7, { Name: 'Root' }]]);
      const lines = tree.map((parent, at) => ({
        Name: `E${at}`,
        Parent: parent === null ? 'Root' : `E${parent}`,
      }));
      const checker = await check(lines, '', isRequired);
      const sent = checker.getConfirmedRows(0, 100).map(({ plan }) => plan.name);
      site.lost = lost;
      if (sent.length > 0) await run(checker);
      const target = lines
        .filter(({ Name }) => sent.includes(Name))
        .map(({ Name, Parent }) => [Name, Parent]);
      expect(parents()).toEqual({ Root: undefined, ...Object.fromEntries(target) });
      expect(site.entries.size).toBe(sent.length + 1);
      // Unanswered requests are resolved in the end.
      expect(sent.length === 0 || getImportRun('entries:9')?.state === 'done').toBe(true);
      // Only cycles of required references leave rows out.
      expect(isRequired || sent.length === lines.length).toBe(true);
    }),
    { numRuns: 60 },
  );
});
