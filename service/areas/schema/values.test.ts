import { assert, property, string } from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { FIELD, type FieldType } from '../../../contract/rules/fields.ts';
import { onEachDatabase } from '../../testing/databases.ts';
import { buildSchema } from './build.ts';
import type { SchemaField, Slot, StoredField } from './schema.ts';
import { columnsOf, folded, multiValues, searchedText, slotText, slotValue } from './values.ts';

const stored = (id: number, fieldType: FieldType, more: Partial<StoredField> = {}): StoredField => ({
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
  entryLists: [],
  slot: null,
  slotState: null,
  searchState: null,
  version: 1,
  ...more,
});
const names = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };
const typeWith = (...fields: StoredField[]) => {
  const [type] = buildSchema({
    siteId: 1,
    version: 1,
    types: [{ id: 1, version: 1, ...names }],
    fields: [stored(1, FIELD.text, { isKey: true, slot: 'name', slotState: 'ready' }), ...fields],
    choices: [],
  }).types;
  if (!type) throw new Error('There is a type');
  return type;
};
const fieldOf = (fieldType: FieldType, more: Partial<StoredField> = {}): SchemaField => {
  const field = typeWith(stored(2, fieldType, more)).fields[1];
  if (!field) throw new Error('There is a field');
  return field;
};

describe('a slot', () => {
  test.each<[FieldType, Parameters<typeof slotValue>[0], string | number | null]>([
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
  ])('of type %i holds of %j: %j', (fieldType, value, slot) => {
    expect(slotValue(value, fieldOf(fieldType))).toBe(slot);
  });

  test('of a text holds 200 characters, however many code units they have', () => {
    expect(slotText('😀'.repeat(300))).toBe('😀'.repeat(200));
    expect(slotText('A\n'.repeat(150))).toBe('a\n'.repeat(100));
  });
});

test('the columns of an entry are its name, the keys of the name, and every slot of its type', () => {
  const slots: [number, FieldType, Slot | null][] = [
    [2, FIELD.number, 'n1'],
    [3, FIELD.text, 't1'],
    [4, FIELD.number, null],
    [5, FIELD.date, 'n2'],
  ];
  const type = typeWith(
    ...slots.map(([id, fieldType, slot]) => stored(id, fieldType, { slot, slotState: slot && 'filling' })),
  );
  expect(columnsOf(type, { 1: 'Hafen-Logistik GmbH', 2: 5, 3: 'Ö', 4: 6 })).toEqual({
    name: 'Hafen-Logistik GmbH',
    name_key: 'hafen-logistik gmbh',
    near_key: 'hafenlogistik',
    n1: 5,
    t1: 'ö',
    n2: null,
  });
});

test('who refers to an entry is found by every reference; choices and users by those of several', () => {
  expect(multiValues(7, fieldOf(FIELD.reference))).toEqual([7]);
  expect(multiValues([7, 8], fieldOf(FIELD.reference, { isMultiSelect: true }))).toEqual([7, 8]);
  expect(multiValues(7, fieldOf(FIELD.choice))).toEqual([]);
  expect(multiValues([7], fieldOf(FIELD.choice, { isMultiSelect: true }))).toEqual([7]);
  expect(multiValues(undefined, fieldOf(FIELD.reference))).toEqual([]);
  expect(multiValues([{ file: 1, name: 'a', type: 'b', size: 1 }], fieldOf(FIELD.binary))).toEqual([]);
});

test('only texts of searchable fields are searched', () => {
  expect(searchedText('Hafen', fieldOf(FIELD.text, { isSearchable: true }))).toBe('hafen');
  expect(searchedText('Hafen', fieldOf(FIELD.text))).toBeUndefined();
  expect(searchedText(undefined, fieldOf(FIELD.text, { isSearchable: true }))).toBeUndefined();
});

/** Letters of Unicode 16 and 17: the database may have an older version, and takes them for nothing with a case. */
const RECENT = /[\u1c89\u1c8a\ua7cb-\ua7dc\u{10d50}-\u{10d8f}\u{16ea0}-\u{16edf}]/u;

onEachDatabase((database) => {
  const inDatabase = async (texts: readonly string[]) => {
    const { rows } = await sql<{ all: string; slot: string }>`
      select fold(v) as all, left(fold(v), 200) as slot
      from unnest(${texts}::text[]) with ordinality as given(v, at) order by at`.execute(database().db);
    return rows;
  };

  test('the database folds texts as this process does', async () => {
    const samples: string[] = [
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
        if (!text.includes('\0') && text.isWellFormed() && !RECENT.test(text)) samples.push(text);
      }),
      { numRuns: 300 },
    );
    const rows = await inDatabase(samples);
    expect(rows).toEqual(samples.map((text) => ({ all: folded(text), slot: slotText(text) })));
  });
});
