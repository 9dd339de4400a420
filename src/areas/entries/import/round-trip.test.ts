import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { FieldType } from '../../../../contract/rules/schema/fields.ts';
import { buildExportColumns } from '../../../../contract/rules/tables/entry-columns.ts';
import { createFileWriter } from '../../../files/file-writer.fixture.ts';
import type { FileFormat } from '../../../files/file-writer.fixture.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import type { CheckRequest } from './check-request.ts';
import { createRowChecker } from './row-checker.ts';
import { guessRules } from './setup.ts';
import { guessMapping, getIgnoredReason } from './targets.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...Array.from(`'"=+-@\t\r\n,;|＝＋－＠ 0a_x`)),
    minLength: 1,
    maxLength: 10,
  }),
  fc.constantFrom(
    '007',
    '=1+1',
    "'=1",
    '1e5',
    '-5',
    'TRUE',
    ' ',
    '\uFEFFx',
    '_x000D_',
    '_x005F_',
    '\u0001',
    'a\r\nb',
  ),
  fc.constantFrom('#12', '12', 'שלום', '🧑‍🚀', '\uFFFD', 'x\u0085y', '2026-03-01', '1,5', 'Yes'),
);

const field = (id: number, fieldType: FieldType, more: Partial<Field> = {}): Field => ({
  id,
  entryTypeId: 1,
  apiName: `F${id}`,
  name: `Field ${id}`,
  fieldType,
  ...FIELD_DEFAULTS,
  entryLists: [],
  choiceValues: [],
  ...more,
});

const ids = fc.integer({ min: 1, max: 30 });
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.integer(),
);
const moment = fc.oneof(
  fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  }),
  // An hour that occurs twice in Berlin.
  fc.integer({ min: Date.UTC(2026, 9, 24, 23), max: Date.UTC(2026, 9, 25, 4) }).map((at) => new Date(at)),
  fc.integer({ min: 0, max: 60_000 }).map((day) => new Date(Date.UTC(1950, 0) + day * 3_600_000)),
);
const several = <Value>(value: fc.Arbitrary<Value>, id: (value: Value) => unknown) =>
  fc.uniqueArray(value, { selector: id, minLength: 1, maxLength: 4 });

const names = fc.array(text, { minLength: 30, maxLength: 30 });
const anyHeading = fc.oneof(
  fc.constantFrom('Name', 'EntryId', 'Owner', 'Owner (id)', 'Due (UTC)', 'F3'),
  text,
);

/** A type with every field type, unusual headings and values. */
const site = fc
  .record({
    choices: names,
    people: names,
    others: names,
    headings: fc.array(anyHeading, { minLength: 16, maxLength: 16 }),
  })
  .chain(({ choices, people, others, headings }) => {
    const choiceValues = choices.slice(0, 29).map((name, at) => ({ id: at + 1, name, seqNumber: at }));
    // Choice 30 is no longer offered; entry 30 and user 30 are deleted.
    const choice = ids.map((id) => ({ id, name: choices[id - 1] ?? '', seqNumber: id, entryListId: -6 }));
    const person = ids.map((id) => ({ id, name: people[id - 1] ?? '', entryListId: -1, url: 'mailto:x' }));
    const entry = ids.map((id) => ({ id, name: others[id - 1] ?? '', entryListId: 2, type: 0 }));
    const money = fc.record({ value: number, currencyCode: fc.constantFrom('EUR', 'USD', 'JPY') });
    const created: readonly (readonly [Field, fc.Arbitrary<FieldValue>])[] = [
      [field(1, FIELD.text, { isKey: true, isRequired: true }), text],
      [field(2, FIELD.text), text],
      [field(3, FIELD.choice, { choiceValues }), choice],
      [field(4, FIELD.choice, { choiceValues, isMultiSelect: true }), several(choice, ({ id }) => id)],
      [field(5, FIELD.number), number],
      [field(6, FIELD.number, { isMoney: true }), money],
      [field(7, FIELD.currency), money],
      [field(8, FIELD.date), moment.map((at) => at.toISOString())],
      [
        field(9, FIELD.date, { isDateOnly: true }),
        moment.map((at) => `${at.toISOString().slice(0, 10)}T00:00:00.000Z`),
      ],
      [field(10, FIELD.reference, { entryLists: [2] }), entry],
      [field(11, FIELD.reference, { entryLists: [2], isMultiSelect: true }), several(entry, ({ id }) => id)],
      [field(12, FIELD.user), person],
      [field(13, FIELD.user, { isMultiSelect: true }), several(person, ({ id }) => id)],
      [field(14, FIELD.boolean), fc.boolean()],
      [field(15, FIELD.counter, { isStoreRequestSupported: false }), fc.integer({ min: 1 })],
      [field(16, FIELD.text, { isCalculated: true, isStoreRequestSupported: false }), text],
      [
        field(17, FIELD.binary, { isMultiSelect: true }),
        several(
          fc.record({
            id: ids,
            name: text,
            contentType: fc.constant('x/y'),
            size: fc.nat(),
            seqNumber: fc.nat(),
            url: text,
          }),
          ({ id }) => id,
        ),
      ],
    ];
    const fields = created.map(([one], at) => ({ ...one, name: headings[at]?.trim() || one.name }));
    const values = fc.record(Object.fromEntries(created.map(([{ apiName }, value]) => [apiName, value])), {
      requiredKeys: ['F1'],
    });
    const rows = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 0x7fffffff }), values), {
        selector: ([id]) => id,
        minLength: 1,
        maxLength: 4,
      })
      .map((all) => all.map(([EntryId, row]): RowVm => ({ ...row, EntryId })));
    return fc.record({
      fields: fc.constant(fields),
      people: fc.constant(people),
      others: fc.constant(others),
      rows,
    });
  });

// The last of each is deleted.
const named = (all: string[]) => all.slice(0, 29).map((name, at) => ({ id: at + 1, name }));

async function importAgain(
  format: FileFormat,
  zone: string,
  empty: 'keep' | 'clear',
  { fields, people, others, rows }: { fields: Field[]; people: string[]; others: string[]; rows: RowVm[] },
  currentEntries = rows,
) {
  const columns = buildExportColumns({ fields, columns: fields, zone });
  const writer = createFileWriter({ format, columns, sheet: 'Things', filter: '', exportedAt: new Date() });
  await writer.add(rows.map((row) => columns.map(({ cell }) => cell(row))));
  const blob = await writer.end();
  const checker = createRowChecker();
  const file = await checker.open(blob, () => undefined);
  if ('error' in file) throw new Error(file.error);
  const rules = { ...guessRules(file, fields), empty };
  const request: CheckRequest = {
    fields,
    mapping: guessMapping(file.headings, fields),
    rules,
    key: 'EntryId',
  };
  checker.getMissingLookups(request);
  checker.addReferences([2], named(others));
  checker.setUsers(named(people));
  checker.addEntries(currentEntries, request);
  return {
    counts: checker.check(request),
    plans: checker.getPlansByOutcome([], 0, 100),
    mapping: request.mapping,
  };
}

const written = (fields: readonly Field[]) =>
  fields.filter(
    ({ isStoreRequestSupported, fieldType }) => isStoreRequestSupported && fieldType !== FIELD.binary,
  );

for (const [format, numRuns] of [
  ['csv', 200],
  ['json', 100],
  ['xlsx', 50],
] as const)
  test(`an import of an export changes nothing, whatever its fields hold and are called: ${format}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        site,
        fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
        fc.constantFrom('keep' as const, 'clear' as const),
        async (all, zone, empty) => {
          const { counts, plans, mapping } = await importAgain(format, zone, empty, all);
          expect(plans.flatMap(({ errors, changes }) => [...errors, ...changes])).toEqual([]);
          expect(counts).toEqual({ create: 0, update: 0, skip: all.rows.length, cannot: 0 });
          // No column is ignored.
          const found = new Set(mapping.flatMap((key) => key?.split('#')[0] ?? []));
          expect(written(all.fields).filter(({ apiName }) => !found.has(apiName))).toEqual([]);
        },
      ),
      { numRuns },
    );
  });

test.each(['csv', 'json', 'xlsx'] as const)(
  'imports a text of a million characters, or keeps it if a cell cannot hold it: %s',
  async (format) => {
    const long = '"=ש🧑‍🚀\n'.repeat(125_000).slice(0, 1_000_000);
    const fields = [field(1, FIELD.text, { isKey: true }), field(2, FIELD.text), field(3, FIELD.text)];
    const currentEntries: RowVm = { EntryId: 7, F1: 'a', F2: long, F3: 'b' };
    const all = { fields, people: [], others: [], rows: [currentEntries] };
    // The workbook cell has a placeholder, which sets nothing even if empty cells clear.
    expect((await importAgain(format, 'UTC', 'clear', all)).counts).toMatchObject({ skip: 1, cannot: 0 });
    const longer = { ...all, rows: [{ ...currentEntries, F2: `${long.slice(0, -1)}!` }] };
    const { plans } = await importAgain(format, 'UTC', 'keep', all, longer.rows);
    expect(plans.map(({ changes }) => changes.map((change) => change.field))).toEqual([
      format === 'xlsx' ? [] : ['F2'],
    ]);
  },
);

test('names the reason for columns that cannot be imported', () => {
  const fields = [
    field(1, FIELD.text, { isKey: true }),
    field(2, FIELD.number, { isCalculated: true, isStoreRequestSupported: false }),
    field(3, FIELD.counter, { isStoreRequestSupported: false }),
    field(4, FIELD.image),
  ];
  const headings = buildExportColumns({ fields, columns: fields, zone: 'UTC' }).map(({ heading }) => heading);
  const mapping = guessMapping(headings, fields);
  expect(
    headings.flatMap((heading, at) =>
      mapping[at] === undefined ? [[heading, getIgnoredReason(heading, fields)]] : [],
    ),
  ).toEqual([
    ['Field 2', 'Calculated by the service'],
    ['Field 3', 'Counted by the service'],
    ['Field 4 (files)', 'Files cannot be imported'],
  ]);
});
