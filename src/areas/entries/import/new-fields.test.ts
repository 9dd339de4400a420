import { expect, test } from 'vitest';
import type { FieldVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import {
  buildExtension,
  findNewFieldErrors,
  findTotalError,
  findTypeErrors,
  guessNewFields,
  listChoiceColumns,
  pickNames,
  planSchema,
  replaceNewIds,
} from './new-fields.ts';
import type { NewFields } from './new-fields.ts';
import { createRowChecker } from './row-checker.ts';
import { createTypeSetup, guessRules } from './setup.ts';
import type { Mapping } from './targets.ts';

const NAME: Field = {
  ...FIELD_DEFAULTS,
  id: 1,
  entryTypeId: 9,
  apiName: 'Name',
  name: 'Name',
  fieldType: FIELD.text,
  isKey: true,
  isRequired: true,
};
const STAGE: Field = {
  ...FIELD_DEFAULTS,
  id: 2,
  entryTypeId: 9,
  apiName: 'Stage',
  name: 'Stage',
  fieldType: FIELD.choice,
  choiceValues: [{ id: 4, name: 'Open', seqNumber: 1 }],
};
const COMPANY = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };

/** Checks a file and returns what the import would create and send. */
async function prepare(
  csv: string,
  setup: { fields?: readonly Field[]; mapping: Mapping; newFields?: NewFields; addsChoices?: boolean },
) {
  const { fields = [NAME, STAGE], mapping, newFields = {}, addsChoices = true } = setup;
  const checker = createRowChecker();
  const file = await checker.open(new Blob([csv]), () => undefined);
  if ('error' in file) throw new Error(file.error);
  const columns = listChoiceColumns({ fields, mapping, newFields });
  const names = new Map(
    checker.listNames(columns).map((own, index) => [columns[index]?.column ?? -1, own] as const),
  );
  const plan = planSchema({ typeId: 9, fields, mapping, newFields, names, addsChoices });
  const request = { fields: plan.fields, mapping: plan.mapping, rules: guessRules(file, []), key: '' };
  const needs = checker.getMissingLookups(request);
  checker.addNames([]);
  const counts = checker.check(request);
  return {
    file,
    plan,
    needs,
    counts,
    guesses: checker.guessColumns(),
    rows: [...checker.getConfirmedPlans(0, 100)],
    errors: checker.getPlansByOutcome(['cannot'], 0, 100).map(({ errors }) => errors),
  };
}

const FILE = 'Name,Stage,Size\nA,Won,5\nB,open,\nC,won,7\nD,Lost,many\n';

test('picks the names of the columns as they are now', () => {
  const read = [
    { column: 1, isMultiSelect: false, names: [{ name: 'Won', rowCount: 2 }] },
    { column: 2, isMultiSelect: false, names: [{ name: 'A; B', rowCount: 1 }] },
  ];
  const columns = [
    { column: 0, isMultiSelect: false },
    { column: 1, isMultiSelect: false },
    { column: 2, isMultiSelect: true },
  ];
  expect([...pickNames(columns, read)]).toEqual([
    [0, []],
    [1, [{ name: 'Won', rowCount: 2 }]],
    [2, []],
  ]);
});

test('plans new fields and missing choices, and asks the service for neither', async () => {
  const { plan, rows, counts, needs } = await prepare(FILE, {
    mapping: ['Name', 'Stage', undefined],
    newFields: { 2: { name: 'Size', kind: 'number' } },
  });
  expect(counts).toEqual({ create: 3, update: 0, skip: 0, cannot: 1 });
  expect(needs.comparedFields).not.toContain('Size');
  expect(plan.created.map(({ column, field }) => [column, field.apiName])).toEqual([[2, 'Size']]);
  expect(plan.added.map(({ choices }) => choices)).toEqual([
    [
      { name: 'Won', rowCount: 2 },
      { name: 'Lost', rowCount: 1 },
    ],
  ]);
  // Only a row with an error names Lost.
  expect(buildExtension(plan, rows, { id: 9 })).toEqual({
    entryTypeId: 9,
    fields: [{ apiName: 'Size', name: 'Size', fieldType: FIELD.number }],
    choices: [{ fieldId: 2, names: ['Won'] }],
  });
});

test('refuses names that are no choices, if they are not to be added', async () => {
  const { plan, rows, counts } = await prepare(FILE, {
    mapping: ['Name', 'Stage', undefined],
    addsChoices: false,
  });
  expect(counts).toMatchObject({ create: 1, cannot: 3 });
  expect(buildExtension(plan, rows, { id: 9 })).toBeUndefined();
});

const choice = (id: number, name: string) => ({ id, name, seqNumber: id });

test('sends rows with the ids of what was created', async () => {
  const { plan, rows } = await prepare('Name,Stage,Topics\nA,Won,Wind; Solar\nB,Open,Solar\n', {
    mapping: ['Name', 'Stage', undefined],
    newFields: { 2: { name: 'Topics', kind: 'choices' } },
  });
  const created: FieldVm = {
    ...STAGE,
    id: 30,
    apiName: 'Topics',
    choiceValues: [choice(7, 'Solar'), choice(8, 'Wind')],
  };
  const changed: FieldVm = { ...STAGE, choiceValues: [choice(4, 'Open'), choice(5, 'Won')] };
  const sent = replaceNewIds(rows, plan, { createdFields: [created], changedFields: [changed] });
  expect(sent.map(({ work }) => work.items.map(({ fieldId, value }) => [fieldId, value]))).toEqual([
    [
      [1, 'A'],
      [2, 5],
      [30, [8, 7]],
    ],
    [
      [1, 'B'],
      [2, 4],
      [30, [7]],
    ],
  ]);
});

test('makes a type of a file, one of whose columns names the entries', async () => {
  const { file, guesses } = await prepare(
    'No,Name,Country,Employees,Founded,Active,EntryId\n1,A,Norway,12,2001-02-03,yes,x1\n2,B,Norway,"1,200",2002-02-03,no,x2\n3,C,Denmark,7,,yes,x3\n',
    { mapping: [] },
  );
  const setup = createTypeSetup(file, guesses, 'companies.csv');
  expect(setup.newType).toEqual(COMPANY);
  expect(Object.values(setup.newFields)).toEqual([
    { name: 'No', kind: 'number' },
    { name: 'Name', kind: 'text', isKey: true },
    { name: 'Country', kind: 'choice' },
    { name: 'Employees', kind: 'number' },
    { name: 'Founded', kind: 'date' },
    { name: 'Active', kind: 'boolean' },
    { name: 'EntryId', kind: 'text' },
  ]);
  const plan = planSchema({
    typeId: 0,
    fields: [],
    mapping: setup.mapping,
    newFields: setup.newFields,
    names: new Map([[2, [{ name: 'Norway', rowCount: 2 }]]]),
    addsChoices: true,
  });
  // The service reserves EntryId.
  expect(plan.mapping).toEqual(['No', 'Name', 'Country', 'Employees', 'Founded', 'Active', 'EntryIdValue']);
  expect(buildExtension(plan, [], COMPANY)).toMatchObject({
    newEntryType: COMPANY,
    fields: [{}, { apiName: 'Name', isKey: true }, { choiceValues: [{ name: 'Norway' }] }, {}, {}, {}, {}],
  });
});

test('gives repeated, empty and non-Latin headings fields of their own', () => {
  const guess = { kind: 'text', isUnique: false, sample: ['x'] } as const;
  const empty = { ...guess, sample: [] };
  const fields = guessNewFields(['Title', 'title', '', '会社', ''], [guess, guess, guess, guess, empty]);
  expect(Object.entries(fields).map(([at, { name }]) => [at, name])).toEqual([
    ['0', 'Title'],
    ['1', 'title 2'],
    ['2', 'Column 3'],
    ['3', '会社'],
  ]);
  expect([...findNewFieldErrors(fields, [])]).toEqual([]);
});

test('tells what stands against new fields and types', () => {
  const text = { kind: 'text' } as const;
  const errors = findNewFieldErrors(
    {
      0: { name: 'name', ...text },
      1: { name: ' ', ...text },
      2: { name: 'Size', ...text },
      3: { name: 'size', ...text },
      4: { name: 'Fund', kind: 'reference' },
    },
    [NAME],
  );
  expect(Object.fromEntries(errors)).toEqual({
    0: 'There is a field named Name',
    1: 'Enter a name',
    3: 'There is a field named Size',
    4: 'Choose the entry type',
  });
  const created = Array.from({ length: 201 }, (_, column) => ({ column, field: NAME }));
  expect(findTotalError({ created })).toContain('at most 200 fields; these are 201');
  expect(findTotalError({ created: created.slice(1) })).toBeUndefined();
  const type = { ...COMPANY, id: 9, name: 'Company', entryListId: -5 };
  expect(findTypeErrors({ ...COMPANY, apiName: 'company' }, [type])).toEqual({
    apiName: 'Companies have this name',
  });
  expect(findTypeErrors({ apiName: 'rows', singularName: ' ', pluralName: 'x'.repeat(101) }, [])).toEqual({
    apiName: 'This name is reserved',
    singularName: 'Enter a name',
    pluralName: 'Shorten the name to 100 characters',
  });
});
