import { assert, property, string } from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { FIELD, type FieldType } from '../../../contract/rules/schema/fields.ts';
import { onEachDatabase } from '../../testing/databases.ts';
import { buildSchema, type SchemaField, type Slot, type StoredField } from './schema.ts';
import {
  buildEntryColumns,
  foldCase,
  toMultiValues,
  toSearchText,
  toSlotText,
  toSlotValue,
} from './values.ts';

const createStoredField = (
  id: number,
  fieldType: FieldType,
  more: Partial<StoredField> = {},
): StoredField => ({
  id,
  typeId: 1,
  apiName: `F${id}`,
  name: `F${id}`,
  description: null,
  fieldType,
  isRequired: false,
  requiredWhen: null,
  isMoney: false,
  isMultiSelect: false,
  isKey: false,
  isSearchable: false,
  isDateOnly: false,
  isOnEntryForm: true,
  formula: null,
  formulaMaxLength: null,
  entryLists: [],
  slot: null,
  slotState: null,
  searchState: null,
  version: 1,
  ...more,
});
const names = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };
const createEntryType = (...fields: StoredField[]) => {
  const [type] = buildSchema({
    siteId: 1,
    version: 1,
    types: [{ id: 1, version: 1, icon: 'table', ...names }],
    fields: [createStoredField(1, FIELD.text, { isKey: true, slot: 'name', slotState: 'ready' }), ...fields],
    choices: [],
  }).types;
  if (!type) throw new Error('There is a type');
  return type;
};
const createField = (fieldType: FieldType, more: Partial<StoredField> = {}): SchemaField => {
  const field = createEntryType(createStoredField(2, fieldType, more)).fields[1];
  if (!field) throw new Error('There is a field');
  return field;
};

describe('toSlotValue', () => {
  test.each<[FieldType, Parameters<typeof toSlotValue>[0], string | number | null]>([
    [FIELD.text, 'Äpfel', 'äpfel'],
    [FIELD.number, -0.5, -0.5],
    [FIELD.counter, 7, 7],
    [FIELD.boolean, false, 0],
    [FIELD.boolean, true, 1],
    [FIELD.date, '1969-12-31T23:59:59.999Z', -1],
    [FIELD.date, '1970-01-02', 86_400_000],
    [FIELD.choice, 4, 4],
    [FIELD.currency, { value: 12.5, currencyCode: 'EUR' }, 12.5],
    [FIELD.choice, [4, 5], null],
    [FIELD.image, [{ file: 1, name: 'a', type: 'image/png', size: 1 }], null],
    [FIELD.text, undefined, null],
  ])('converts a value of field type %i, %j, to %j', (fieldType, value, slot) => {
    expect(toSlotValue(value, createField(fieldType))).toBe(slot);
  });

  test('cuts a text after 200 characters, counted as code points', () => {
    expect(toSlotText('😀'.repeat(300))).toBe('😀'.repeat(200));
    expect(toSlotText('A\n'.repeat(150))).toBe('a\n'.repeat(100));
  });
});

test('buildEntryColumns returns the name, its keys, and every slot of the type', () => {
  const slots: [number, FieldType, Slot | null][] = [
    [2, FIELD.number, 'n1'],
    [3, FIELD.text, 't1'],
    [4, FIELD.number, null],
    [5, FIELD.date, 'n2'],
  ];
  const type = createEntryType(
    ...slots.map(([id, fieldType, slot]) =>
      createStoredField(id, fieldType, { slot, slotState: slot && 'filling' }),
    ),
  );
  expect(buildEntryColumns(type, { 1: 'Hafen-Logistik GmbH', 2: 5, 3: 'Ö', 4: 6 })).toEqual({
    name: 'Hafen-Logistik GmbH',
    name_key: 'hafen-logistik gmbh',
    near_key: 'hafenlogistik',
    n1: 5,
    t1: 'ö',
    n2: null,
  });
});

test('toMultiValues returns ids of all reference fields and of multi-select choice and user fields', () => {
  expect(toMultiValues(7, createField(FIELD.reference))).toEqual([7]);
  expect(toMultiValues([7, 8], createField(FIELD.reference, { isMultiSelect: true }))).toEqual([7, 8]);
  expect(toMultiValues(7, createField(FIELD.choice))).toEqual([]);
  expect(toMultiValues([7], createField(FIELD.choice, { isMultiSelect: true }))).toEqual([7]);
  expect(toMultiValues(undefined, createField(FIELD.reference))).toEqual([]);
  expect(toMultiValues([{ file: 1, name: 'a', type: 'b', size: 1 }], createField(FIELD.binary))).toEqual([]);
});

test('toSearchText returns texts of searchable fields only', () => {
  expect(toSearchText('Hafen', createField(FIELD.text, { isSearchable: true }))).toBe('hafen');
  expect(toSearchText('Hafen', createField(FIELD.text))).toBeUndefined();
  expect(toSearchText(undefined, createField(FIELD.text, { isSearchable: true }))).toBeUndefined();
});

/** Letters of Unicode 16 and 17, which an older database version does not fold. */
const RECENT_LETTERS = /[\u1c89\u1c8a\ua7cb-\ua7dc\u{10d50}-\u{10d8f}\u{16ea0}-\u{16edf}]/u;

onEachDatabase((database) => {
  const foldInDatabase = async (texts: readonly string[]) => {
    const { rows } = await sql<{ all: string; slot: string }>`
      select fold(v) as all, left(fold(v), 200) as slot
      from unnest(${texts}::text[]) with ordinality as given(v, at) order by at`.execute(database().db);
    return rows;
  };

  test('foldCase and toSlotText agree with the database', async () => {
    const texts: string[] = [
      '',
      'HAMBURG',
      'ÄÖÜ ẞ',
      'ΣΑΣ Σ',
      'İI',
      'Ǆ',
      'ᏎᎪ',
      '😀'.repeat(300),
      'É'.repeat(250),
    ];
    assert(
      property(string({ unit: 'binary', maxLength: 20 }), (text) => {
        if (!text.includes('\0') && text.isWellFormed() && !RECENT_LETTERS.test(text)) texts.push(text);
      }),
      { numRuns: 300 },
    );
    const rows = await foldInDatabase(texts);
    expect(rows).toEqual(texts.map((text) => ({ all: foldCase(text), slot: toSlotText(text) })));
  });
});
