import { QueryClient } from '@tanstack/react-query';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { toServiceError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import type { StoreRequestsVm } from '../../../api/generated/types.gen.ts';
import { createImport } from '../../import/job.ts';
import { importRun, leaveImport } from '../../import/run.ts';
import { toCsv } from '../../../files/csv.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { failedFile } from '../../import/report.ts';
import { createDesk } from './desk.ts';
import { guessRules } from './rules.ts';
import { guessMapping } from './targets.ts';

const NAME: Field = {
  id: 1,
  entryTypeId: 9,
  apiName: 'Name',
  name: 'Name',
  fieldType: FIELD.text,
  ...PLAIN_FIELD,
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
  /** The request whose answer is lost, as they come. */
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
  const made = Map.groupBy(storeRequests, ({ entryId }) => entryId);
  for (const [id, items] of made)
    if (id < 0 && site.parent.isRequired && !items.some(({ fieldId }) => fieldId === PARENT.id))
      errors.push({
        path: `storeRequests.${storeRequests.findIndex((one) => one.entryId === id)}.value`,
        message: 'Needs its parent',
      });
  if (errors.length > 0) return Response.json({ message: 'Invalid', errors }, { status: 400 });
  const ids = new Map([...made.keys()].map((id, at) => [id, id > 0 ? id : 101 + site.entries.size + at]));
  for (const { entryId, fieldId, value } of storeRequests) {
    const id = ids.get(entryId) ?? 0;
    site.entries.set(id, { ...site.entries.get(id), [fields.get(fieldId) ?? '']: value });
  }
  site.requests += 1;
  if (site.requests === site.lost) throw new TypeError('Failed to fetch');
  return Response.json(storeRequests.map(({ entryId, fieldId }) => ({ entryId: ids.get(entryId), fieldId })));
}

function query({ query: asked }: { query?: Record<string, { $in?: unknown[] }> }): Response {
  const rows = [...site.entries].map(([EntryId, { Parent, ...row }]) => ({
    EntryId,
    ...row,
    ...(Parent !== undefined && { Parent: [named(Parent)] }),
  }));
  const found = rows.filter((row) =>
    Object.entries(asked ?? {}).every(([key, { $in }]) => $in?.includes(Reflect.get(row, key)) ?? true),
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

/** A desk with these lines, checked. */
async function check(lines: readonly Line[], key = '', isRequired = false) {
  Object.assign(site, { parent: { ...PARENT, isRequired }, refused: '', lost: -1, requests: 0 });
  const fields = [NAME, CODE, site.parent];
  const headings = ['Name', 'Code', 'Parent'] as const;
  const text = toCsv([[...headings], ...lines.map((line) => headings.map((heading) => line[heading] ?? ''))]);
  const desk = createDesk();
  const file = await desk.open(new Blob([text]), () => undefined);
  if ('fault' in file) throw new Error(file.fault);
  const rules = { ...guessRules(file, fields), near: 'allow' as const };
  const question = { fields, mapping: guessMapping(file.headings, fields), rules, key };
  const needs = desk.needs(question);
  const rows = [...site.entries].map(([EntryId, row]) => ({
    EntryId,
    Name: String(row['Name']),
    Code: String(row['Code']),
  }));
  const asked = new Set(needs.references.flatMap(({ names }) => names));
  const called = rows
    .filter(({ Name }) => asked.has(Name))
    .map(({ EntryId, Name }) => ({ id: EntryId, name: Name }));
  desk.lendReferences([9], called);
  if (key !== '') desk.lendEntries(rows, question);
  desk.check(question);
  return desk;
}

const told = async (...asked: Parameters<typeof check>) =>
  (await check(...asked))
    .some([], 0, 100)
    .map(({ outcome, faults, changes }) =>
      [
        outcome,
        ...faults.map(({ field, message }) => `${field}: ${message}`),
        ...changes.filter(({ field }) => field === 'Parent').map(({ after }) => after),
      ].join(' · '),
    );

/** Imports what would be sent, going on whenever it pauses by itself. */
async function run(desk: Awaited<ReturnType<typeof check>>): Promise<void> {
  const id = crypto.randomUUID();
  const about = {
    place: 'entries:9',
    typeId: 9,
    words: ['entry', 'entries'] as const,
    labels: {},
    idHeading: 'EntryId',
  };
  const job = {
    id,
    holder: { userId: 1, siteId: 1 },
    about,
    fileName: 'x.csv',
    headings: ['Name', 'Code', 'Parent'],
    rows: desk.toSend(0, 1000),
  };
  leaveImport(about.place);
  const one = createImport(new QueryClient(), job);
  for (let times = 0; times < 3; times += 1) {
    one.goOn();
    // oxlint-disable-next-line no-await-in-loop -- it goes on where it was
    await expect.poll(() => importRun(about.place)?.state, { interval: 1 }).not.toBe('running');
    if (importRun(about.place)?.state !== 'stopped') return;
  }
}

const parents = () =>
  Object.fromEntries(
    [...site.entries.values()].map((one) => [one['Name'], site.entries.get(Number(one['Parent']))?.['Name']]),
  );

beforeEach(() => void (site.entries = new Map([[7, { Name: 'Root', Code: 'r' }]])));

test('the dry run tells which row is meant, by its name or by what tells entries apart', async () => {
  const lines = [
    { Name: 'Child', Code: 'c', Parent: 'Mother' },
    { Name: 'Mother', Code: 'm', Parent: 'R' },
    { Name: 'Renamed', Code: 'r' },
    { Name: 'Other', Code: 'o', Parent: 'renamed' },
  ];
  expect(await told(lines, 'Code')).toEqual([
    'create · Mother (row 3)',
    'create · Renamed',
    'update',
    'create · Renamed',
  ]);
});

test('who names a row that cannot be imported cannot be imported either, and is told which one', async () => {
  const lines = [
    { Name: 'A', Parent: 'B' },
    { Name: 'B', Parent: 'Nobody' },
    { Name: 'C', Parent: 'A' },
    { Name: 'D', Parent: 'Root' },
  ];
  expect(await told(lines)).toEqual([
    'cannot · Parent: Row 3, which it names, cannot be imported',
    'cannot · Parent: There is no entry “Nobody”',
    'cannot · Parent: Row 2, which it names, cannot be imported',
    'create · Root',
  ]);
  expect(await told([{ Name: 'A', Parent: 'B' }, { Name: 'B' }, { Name: 'B' }])).toContain(
    'cannot · Parent: Several are called “B”: row 3, row 4. Name the id',
  );
});

test('a circle is told where nobody can come first, and imported where the references can follow', async () => {
  const circle = [
    { Name: 'A', Parent: 'B' },
    { Name: 'B', Parent: 'A' },
    { Name: 'C', Parent: 'C' },
    { Name: 'D', Parent: 'A' },
  ];
  expect(await told(circle, '', true)).toEqual([
    'cannot · Parent: Names row 3, which names this one in turn, and has to be there when the entry is made',
    'cannot · Parent: Names row 2, which names this one in turn, and has to be there when the entry is made',
    'cannot · Parent: Names its own row, and has to be there when the entry is made',
    'cannot · Parent: Row 2, which it names, cannot be imported',
  ]);
  await run(await check(circle));
  expect(parents()).toEqual({ Root: undefined, A: 'B', B: 'A', C: 'C', D: 'A' });
  expect(site.requests).toBe(2);
});

test('a row that the service refuses is told to those that name it', async () => {
  const desk = await check([{ Name: 'A', Parent: 'B' }, { Name: 'B' }, { Name: 'C', Parent: 'A' }]);
  site.refused = 'B';
  await run(desk);
  const ended = importRun('entries:9');
  const results = ended?.results;
  expect(results?.get(3)).toMatchObject({ result: 'failed', why: 'No' });
  expect(results?.get(2)).toMatchObject({
    result: 'partly',
    done: ['Created'],
    why: 'Row 3, which it names, was not imported',
  });
  expect(parents()).toEqual({ Root: undefined, A: undefined, C: 'A' });
  // Mended and imported again, what is there is not made once more.
  const { id } = results?.get(2) ?? {};
  expect(ended && (await failedFile(ended).text())).toContain(`"A","","B","${id}","2"`);
});

test('whoever names whom, and whichever answer is lost: everybody is made once, under who they name', async () => {
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
      const desk = await check(lines, '', isRequired);
      const sent = desk.toSend(0, 100).map(({ plan }) => plan.name);
      site.lost = lost;
      if (sent.length > 0) await run(desk);
      const wanted = lines
        .filter(({ Name }) => sent.includes(Name))
        .map(({ Name, Parent }) => [Name, Parent]);
      expect(parents()).toEqual({ Root: undefined, ...Object.fromEntries(wanted) });
      expect(site.entries.size).toBe(sent.length + 1);
      // What came of a request whose answer was lost is known in the end.
      expect(sent.length === 0 || importRun('entries:9')?.state === 'done').toBe(true);
      // Only where nobody can come first is anybody left out.
      expect(isRequired || sent.length === lines.length).toBe(true);
    }),
    { numRuns: 60 },
  );
});
