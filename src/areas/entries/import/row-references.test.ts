import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { createRowChecker } from './row-checker.ts';
import { guessRules } from './setup.ts';
import { guessMapping } from './targets.ts';

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

/** A checker with these lines, checked. */
async function check(lines: readonly Line[], key = '', isRequired = false) {
  const fields = [NAME, CODE, { ...PARENT, isRequired }];
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
  const rows = [{ EntryId: 7, Name: 'Root', Code: 'r' }];
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

test('refuses cycles of required references and takes optional ones', async () => {
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
  expect(await checkAndDescribe(circle)).toEqual([
    'create · B (row 3)',
    'create · A (row 2)',
    'create · C (row 4)',
    'create · A (row 2)',
  ]);
});

test('leaves out rows in cycles of required references, and those that refer to them', async () => {
  const file = fc.integer({ min: 1, max: 9 }).chain((length) =>
    fc.record({
      parents: fc.array(fc.option(fc.nat(length - 1)), { minLength: length, maxLength: length }),
      isRequired: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(file, async ({ parents, isRequired }) => {
      const lines = parents.map((parent, at) => ({
        Name: `E${at}`,
        Parent: parent === null ? 'Root' : `E${parent}`,
      }));
      const checker = await check(lines, '', isRequired);
      const names = checker.getConfirmedPlans(0, 100).map(({ name }) => name);
      const reachesRoot = (at: number): boolean => {
        let row: number | null | undefined = at;
        for (let steps = 0; steps < parents.length && row !== null && row !== undefined; steps += 1)
          row = parents[row];
        return row === null;
      };
      expect(names).toEqual(lines.filter((_, at) => !isRequired || reachesRoot(at)).map(({ Name }) => Name));
    }),
    { numRuns: 60 },
  );
});
