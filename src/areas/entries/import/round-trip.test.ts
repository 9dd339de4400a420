import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { FieldType } from '../../../../contract/rules/fields.ts';
import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import { createWriter } from '../../../files/writer.ts';
import type { Format } from '../../../files/writer.ts';
import { entryColumns } from '../export/source.ts';
import type { Field } from '../model/schema.ts';
import { createDesk } from './desk.ts';
import type { Question } from './question.ts';
import { guessRules } from './rules.ts';
import { guessMapping, ignoredBecause } from './targets.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

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
  ...PLAIN_FIELD,
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
  // An hour that clocks in Berlin show twice.
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

/** A type with every field type, its headings as nasty as its values, and entries of it. */
const site = fc
  .record({
    choices: names,
    people: names,
    others: names,
    headings: fc.array(anyHeading, { minLength: 16, maxLength: 16 }),
  })
  .chain(({ choices, people, others, headings }) => {
    const choiceValues = choices.slice(0, 29).map((name, at) => ({ id: at + 1, name, seqNumber: at }));
    // Choice 30 is not offered any more, entry 30 and user 30 are gone.
    const choice = ids.map((id) => ({ id, name: choices[id - 1] ?? '', seqNumber: id, entryListId: -6 }));
    const person = ids.map((id) => ({ id, name: people[id - 1] ?? '', entryListId: -1, url: 'mailto:x' }));
    const entry = ids.map((id) => ({ id, name: others[id - 1] ?? '', entryListId: 2, type: 0 }));
    const money = fc.record({ value: number, currencyCode: fc.constantFrom('EUR', 'USD', 'JPY') });
    const made: readonly (readonly [Field, fc.Arbitrary<FieldValue>])[] = [
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
    const fields = made.map(([one], at) => ({ ...one, name: headings[at]?.trim() || one.name }));
    const values = fc.record(Object.fromEntries(made.map(([{ apiName }, value]) => [apiName, value])), {
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

// The last of each is gone.
const named = (all: string[]) => all.slice(0, 29).map((name, at) => ({ id: at + 1, name }));

async function importAgain(
  format: Format,
  zone: string,
  empty: 'keep' | 'clear',
  { fields, people, others, rows }: { fields: Field[]; people: string[]; others: string[]; rows: RowVm[] },
  there = rows,
) {
  const columns = entryColumns({ fields, columns: fields, zone });
  const writer = createWriter({ format, columns, sheet: 'Things', filter: '', made: new Date() });
  await writer.add(rows.map((row) => columns.map(({ cell }) => cell(row))));
  const blob = await writer.end();
  const desk = createDesk();
  const file = await desk.open(blob, () => undefined);
  if ('fault' in file) throw new Error(file.fault);
  const rules = { ...guessRules(file, fields), empty };
  const question: Question = { fields, mapping: guessMapping(file.headings, fields), rules, key: 'EntryId' };
  desk.needs(question);
  desk.lendReferences([2], named(others));
  desk.lendUsers(named(people));
  desk.lendEntries(there, question);
  return { counts: desk.check(question), plans: desk.some([], 0, 100), mapping: question.mapping };
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
          expect(plans.flatMap(({ faults, changes }) => [...faults, ...changes])).toEqual([]);
          expect(counts).toEqual({ create: 0, update: 0, skip: all.rows.length, cannot: 0 });
          // Nothing was passed over.
          const found = new Set(mapping.flatMap((key) => key?.split('#')[0] ?? []));
          expect(written(all.fields).filter(({ apiName }) => !found.has(apiName))).toEqual([]);
        },
      ),
      { numRuns },
    );
  });

test.each(['csv', 'json', 'xlsx'] as const)(
  'a text of a million characters comes back, or stays what it is where a cell cannot hold it: %s',
  async (format) => {
    const long = '"=ש🧑‍🚀\n'.repeat(125_000).slice(0, 1_000_000);
    const fields = [field(1, FIELD.text, { isKey: true }), field(2, FIELD.text), field(3, FIELD.text)];
    const there: RowVm = { EntryId: 7, F1: 'a', F2: long, F3: 'b' };
    const all = { fields, people: [], others: [], rows: [there] };
    // A cell of the workbook says that it is too long: it says nothing of the field, even where empty cells clear.
    expect((await importAgain(format, 'UTC', 'clear', all)).counts).toMatchObject({ skip: 1, cannot: 0 });
    const longer = { ...all, rows: [{ ...there, F2: `${long.slice(0, -1)}!` }] };
    const { plans } = await importAgain(format, 'UTC', 'keep', all, longer.rows);
    expect(plans.map(({ changes }) => changes.map((change) => change.field))).toEqual([
      format === 'xlsx' ? [] : ['F2'],
    ]);
  },
);

test('columns of what cannot be imported say why they are passed over', () => {
  const fields = [
    field(1, FIELD.text, { isKey: true }),
    field(2, FIELD.number, { isCalculated: true, isStoreRequestSupported: false }),
    field(3, FIELD.counter, { isStoreRequestSupported: false }),
    field(4, FIELD.image),
  ];
  const headings = entryColumns({ fields, columns: fields, zone: 'UTC' }).map(({ heading }) => heading);
  const mapping = guessMapping(headings, fields);
  expect(
    headings.flatMap((heading, at) =>
      mapping[at] === undefined ? [[heading, ignoredBecause(heading, fields)]] : [],
    ),
  ).toEqual([
    ['Field 2', 'Calculated by the service'],
    ['Field 3', 'Counted by the service'],
    ['Field 4 (files)', 'Files are not in a table'],
  ]);
});
