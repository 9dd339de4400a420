import { expect, it } from 'vitest';
import { columnsOf, moved, orderedFields } from './columns.ts';
import { readChoice } from './columns-store.ts';
import { dateNote, dateWords } from './dates.ts';
import { schemaOf } from './schema.ts';
import { readEntriesView, writeEntriesView } from './view.ts';

it('says in the address what is asked for, and nothing else', () => {
  const view = { q: '7', query: { Sector: { $in: [1] } }, sort: '-Founded' };
  expect(writeEntriesView(view)).toEqual({ q: 7, query: view.query, sort: '-Founded' });
  expect(readEntriesView(writeEntriesView(view))).toEqual(view);
  expect(writeEntriesView(readEntriesView({}))).toEqual({});
  expect(readEntriesView({ query: {} }).query).toBeUndefined();
  expect(readEntriesView({ query: '{Name:' }).query).toBe('{Name:');
});

const field = (id: number, apiName: string, isKey = false) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  isRequired: false,
  isMoney: false,
  isMultiSelect: false,
  isKey,
  isDateOnly: false,
  isSearchable: false,
  isOnEntryForm: true,
  isCalculated: false,
  isStoreRequestSupported: true,
});

it('has the key first, then what was moved, then the others; hidden ones nowhere', () => {
  const fields = schemaOf([], [field(1, 'A'), field(2, 'B'), field(3, 'Name', true), field(4, 'C')]).fieldsOf(
    1,
  );
  const none = { hidden: [], order: [], widths: {} };
  const names = (choice: typeof none) => orderedFields(fields, choice).map(({ apiName }) => apiName);
  expect(names(none)).toEqual(['Name', 'A', 'B', 'C']);
  expect(orderedFields(fields, moved(fields, none, 'C', -2)).map(({ apiName }) => apiName)).toEqual([
    'Name',
    'C',
    'A',
    'B',
  ]);
  expect(moved(fields, none, 'A', -1)).toBe(none);
  const shown = columnsOf(fields, { hidden: ['A', 'Name'], order: ['Gone', 'C'], widths: { C: 9999, B: 1 } });
  expect(shown.map(({ field: { apiName }, width }) => [apiName, width])).toEqual([
    ['Name', 240],
    ['C', 900],
    ['B', 64],
  ]);
});

it('keeps only what makes sense of the columns of last time', () => {
  expect(readChoice('{"hidden":["A",1],"order":5,"widths":{"A":"x","B":90}}')).toEqual({
    hidden: ['A'],
    order: [],
    widths: { B: 90 },
  });
  expect(readChoice('nonsense')).toEqual({ hidden: [], order: [], widths: {} });
});

it('tells dates in UTC, and moments in the zone of the site beside it', () => {
  expect(dateWords('2026-03-01T00:00:00.000Z', true)).toMatch(/2026/);
  expect(dateNote('2026-03-01T23:30:00.000Z', false, 'Europe/Berlin')).toMatch(
    /^2026-03-01 23:30:00 UTC · on the site .*2/,
  );
  expect(dateNote('2026-03-01T00:00:00.000Z', true, 'Europe/Berlin')).toBe(
    '2026-03-01, a day without a time',
  );
  expect(dateWords('no date', false)).toBe('no date');
});
