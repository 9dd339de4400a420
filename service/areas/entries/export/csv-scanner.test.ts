import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELD, isIdField } from '../../../../contract/rules/schema/fields.ts';
import { formatCsvRows } from '../../../../contract/rules/tables/csv.ts';
import { buildExportColumns, type ExportField } from '../../../../contract/rules/tables/entry-columns.ts';
import { createCsvScanner } from './csv-scanner.ts';
import { createRowParser } from './stored-rows.ts';
import type { StoredField, StoredRows } from './stored-values.ts';

const CHOICES = ['Won', '=1+1', 'Two "words"; more', '#12', '', 'won'].map((name, index) => ({
  id: index + 1,
  name,
  seqNumber: index,
  entryListId: -6,
}));

type TestField = ExportField & StoredField;

const encoder = new TextEncoder();
const encode = (text: string) => encoder.encode(text);

/** Ids of one to three digits, which jsonb does not order as texts. */
const FIELDS: readonly TestField[] = [
  { fieldType: FIELD.text },
  { fieldType: FIELD.number },
  { fieldType: FIELD.number, isMoney: true },
  { fieldType: FIELD.currency },
  { fieldType: FIELD.boolean },
  { fieldType: FIELD.counter },
  { fieldType: FIELD.date },
  { fieldType: FIELD.date, isDateOnly: true },
  { fieldType: FIELD.choice },
  { fieldType: FIELD.choice, isMultiSelect: true },
  { fieldType: FIELD.reference },
  { fieldType: FIELD.reference, isMultiSelect: true },
  { fieldType: FIELD.user },
  { fieldType: FIELD.user, isMultiSelect: true },
].map((part, index) => ({
  id: 8 + index * 7,
  apiName: `F${index}`,
  name: `Field ${index}`,
  isMultiSelect: false,
  isDateOnly: false,
  isMoney: false,
  choices: CHOICES,
  choiceValues: CHOICES,
  ...part,
}));

const awkwardText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('=', '-', "'", '"', '\\', '＝', 'a', ',', '\n', '{', ']', ' '),
    maxLength: 6,
  }),
  fc.string({ minLength: 100, maxLength: 200 }),
);
const decimal = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 1000),
  fc.constantFrom(0, 1e21, 1e-7, 0.000_001, 123_456_789_012_345_680),
);
const time = fc
  .date({ min: new Date('0100-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
  .chain((at) => fc.constantFrom(at, new Date(Math.floor(at.getTime() / 1000) * 1000)))
  .map((at) => at.toISOString());
const id = fc.integer({ min: 1, max: 8 });

/** A stored value of a field, or one of another kind, which a changed field may have. */
function makeValue({ fieldType, isMultiSelect, isDateOnly, isMoney }: TestField): fc.Arbitrary<unknown> {
  const money = fc.record({
    value: decimal,
    currencyCode: fc.oneof(fc.constantFrom('EUR', '=X'), awkwardText),
  });
  if (isIdField(fieldType)) return isMultiSelect ? fc.array(id, { maxLength: 4 }) : id;
  if (fieldType === FIELD.date) return isDateOnly ? time.map((at) => at.slice(0, 10)) : time;
  if (isMoney || fieldType === FIELD.currency) return fc.oneof(money, decimal);
  return fc.oneof(awkwardText, decimal, fc.boolean());
}

/** Writes a number as the database does: without exponent and negative zero. */
const toNumeric = (value: number): string =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 100 }).replace(/^-0$/, '0');

/** Writes JSON as the database writes jsonb. */
function toJsonb(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toJsonb).join(', ')}]`;
  if (typeof value === 'number') return toNumeric(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${toJsonb(item)}`)
    .join(', ')}}`;
}

const name = fc.oneof(awkwardText, fc.constantFrom('Ada Lovelace', '思远 欧阳'));
/** Names of some of the ids. */
const names = fc
  .dictionary(id.map(String), name, { maxKeys: 8 })
  .map((byId) =>
    encode(JSON.stringify(Object.entries(byId).map(([key, text]) => ({ id: Number(key), name: text })))),
  );

const values = fc.record(Object.fromEntries(FIELDS.map((field) => [field.id, makeValue(field)])), {
  requiredKeys: [],
});
const rows: fc.Arbitrary<StoredRows> = fc.record({
  texts: fc.array(
    fc
      .array(fc.tuple(fc.integer({ min: 1, max: 2 ** 31 - 1 }), values), { minLength: 1, maxLength: 4 })
      .map((list) => encode(list.map(([entryId, vals]) => `[${entryId},${toJsonb(vals)}]`).join(','))),
    { maxLength: 3 },
  ),
  users: names,
  references: names,
});

test('CSV made of the text of rows is that of parsed rows, over several pages', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  fc.assert(
    fc.property(
      fc.array(rows, { maxLength: 3 }),
      fc.shuffledSubarray([...FIELDS]),
      fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
      (pages, fields, zone) => {
        const columns = buildExportColumns({ fields: FIELDS, columns: fields, zone });
        const scan = createCsvScanner({ fields, columns, zone });
        const parse = createRowParser(fields);
        // Memory of a page is used for the next one, which may need more or less.
        let spare: Uint8Array<ArrayBuffer> | undefined;
        for (const page of pages) {
          spare = scan(page, spare);
          expect(decoder.decode(spare)).toBe(
            formatCsvRows(parse(page).map((row) => columns.map(({ cell }) => cell(row)))),
          );
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a text that is not complete is refused', () => {
  const field = FIELDS.slice(0, 1);
  const scan = createCsvScanner({
    fields: field,
    columns: buildExportColumns({ fields: field, columns: field, zone: 'UTC' }),
    zone: 'UTC',
  });
  expect(() =>
    scan({ texts: [encode('[1,{"8": "half')], users: encode('[]'), references: encode('[]') }),
  ).toThrow('incomplete');
});
