import { afterEach, expect, test, vi } from 'vitest';
import type { OpenedFile } from '../../import/board.ts';
import type { Source } from '../../../files/read-table.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { keepSetup, setUp } from './setup.ts';

const FIELDS: readonly Field[] = [
  { ...PLAIN_FIELD, id: 1, entryTypeId: 9, apiName: 'Name', name: 'Name', fieldType: 1 },
  { ...PLAIN_FIELD, id: 2, entryTypeId: 9, apiName: 'Size', name: 'Size', fieldType: 3 },
];
const TEXT: Source = { kind: 'text', separator: ';', encoding: 'utf-8' };
const fileOf = (source: Source, size: string, headings = ['Name', 'Size']): OpenedFile => ({
  headings,
  samples: ['A', size],
  rows: 1,
  source,
});

afterEach(() => vi.unstubAllGlobals());

function keeping(): void {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
}

test('commas chosen for a text are kept for the next one, and never for what writes points', () => {
  keeping();
  const first = fileOf(TEXT, '1,5');
  keepSetup(9, first.headings, setUp(9, first, FIELDS));
  expect(setUp(9, fileOf(TEXT, '2'), FIELDS).rules.decimal).toBe('comma');
  // 1.125 would be read as 1125.
  expect(setUp(9, fileOf({ kind: 'json' }, '1.125'), FIELDS).rules.decimal).toBe('point');
  const book: Source = { kind: 'workbook', sheet: 0, sheets: [] };
  expect(setUp(9, fileOf(book, '1.125'), FIELDS).rules.decimal).toBe('point');
  // A heading that every object has is none that was seen before.
  expect(setUp(9, fileOf(TEXT, '2', ['Name', 'Size', 'constructor']), FIELDS).rules.decimal).toBe('point');
});
