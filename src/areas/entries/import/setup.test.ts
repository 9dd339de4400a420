import { afterEach, expect, test, vi } from 'vitest';
import type { OpenedFile } from '../../../files/import-plan/plan-store.ts';
import type { TableSource } from '../../../files/table/table.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { guessColumn } from './guess-field.ts';
import { saveSetup, createSetup } from './setup.ts';

const FIELDS: readonly Field[] = [
  { ...FIELD_DEFAULTS, id: 1, entryTypeId: 9, apiName: 'Name', name: 'Name', fieldType: 1 },
  { ...FIELD_DEFAULTS, id: 2, entryTypeId: 9, apiName: 'Size', name: 'Size', fieldType: 3 },
];
const TEXT: TableSource = { kind: 'text', separator: ';', encoding: 'utf-8' };
const fileOf = (source: TableSource, size: string, headings = ['Name', 'Size']): OpenedFile => ({
  headings,
  samples: ['A', size],
  rows: 1,
  source,
});

afterEach(() => vi.unstubAllGlobals());

function keeping(): void {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
}

test('stores decimal commas for the next text file, but not for formats with points', () => {
  keeping();
  const first = fileOf(TEXT, '1,5');
  saveSetup(9, first.headings, createSetup(9, first, FIELDS));
  expect(createSetup(9, fileOf(TEXT, '2'), FIELDS).rules.decimal).toBe('comma');
  // 1.125 would be parsed as 1125.
  expect(createSetup(9, fileOf({ kind: 'json' }, '1.125'), FIELDS).rules.decimal).toBe('point');
  const nameIndex: TableSource = { kind: 'workbook', sheet: 0, sheets: [] };
  expect(createSetup(9, fileOf(nameIndex, '1.125'), FIELDS).rules.decimal).toBe('point');
  // A heading inherited from Object.prototype is not a stored one.
  expect(createSetup(9, fileOf(TEXT, '2', ['Name', 'Size', 'constructor']), FIELDS).rules.decimal).toBe(
    'point',
  );
});

test('stores the field of a heading that is repeated', () => {
  keeping();
  const file = fileOf(TEXT, '1', ['Name', 'Size', 'Size']);
  saveSetup(9, file.headings, createSetup(9, file, FIELDS));
  expect(createSetup(9, file, FIELDS).mapping).toEqual(['Name', 'Size', undefined]);
});

test('takes the order of dates and the decimal sign from more rows than the first', () => {
  const dated: Field = {
    ...FIELD_DEFAULTS,
    id: 3,
    entryTypeId: 9,
    apiName: 'Due',
    name: 'Due',
    fieldType: 4,
    isDateOnly: true,
  };
  const dates = ['1/2/2026', '3/4/2026', '5/6/2026', '7/25/2026'];
  const sizes = ['1', '2', '3', '1,234'];
  const file: OpenedFile = {
    headings: ['Due', 'Size'],
    samples: [dates, sizes].map((values) => values.slice(0, 3).join(' · ')),
    rows: 4,
    source: TEXT,
  };
  const guesses = [guessColumn('Due', dates), guessColumn('Size', sizes)];
  expect(createSetup(9, file, [...FIELDS, dated], guesses).rules).toMatchObject({
    dates: 'mdy',
    decimal: 'comma',
  });
  // A column of texts says nothing about dates.
  expect(createSetup(9, file, FIELDS, guesses).rules).toMatchObject({ dates: 'dmy' });
});

test('a full storage keeps no setup and refuses none', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem() {
      throw new DOMException('The quota has been exceeded', 'QuotaExceededError');
    },
  });
  const file = fileOf(TEXT, '1,5');
  expect(() => saveSetup(9, file.headings, createSetup(9, file, FIELDS))).not.toThrow();
});

test.each([
  ['point', ',', '1,234'],
  ['point', '\t', '1,234'],
  ['comma', ';', '1,234'],
  ['comma', ',', '1,234 · 2,5'],
  ['comma', ',', '0,125'],
])('takes a decimal %s for a file with the separator "%s" and %s', (decimal, separator, size) => {
  const file = fileOf({ kind: 'text', separator, encoding: 'utf-8' }, size);
  expect(createSetup(9, file, FIELDS).rules.decimal).toBe(decimal);
});
