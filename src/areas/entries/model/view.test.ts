import { expect, it } from 'vitest';
import { columnsOf, hiding, moved, orderedFields, pinned, pinning } from './columns.ts';
import { AS_SCHEMA, readChoice } from './columns-store.ts';
import type { ColumnChoice } from './columns-store.ts';
import { dateNote, dateWords, zoneMark } from './dates.ts';
import { schemaOf } from './schema.ts';
import { readEntriesView, readPointed, writeEntriesView, writePointed } from './view.ts';
import { PLAIN_FIELD } from './field.fixture.ts';

it('says in the address what is asked for, and nothing else', () => {
  const view = { q: '7', query: { Sector: { $in: [1] } }, sort: '-Founded', saved: 12 };
  expect(writeEntriesView(view)).toEqual({ q: 7, query: view.query, sort: '-Founded', view: 12 });
  expect(readEntriesView(writeEntriesView(view))).toEqual(view);
  expect(writeEntriesView(readEntriesView({}))).toEqual({});
  expect(readEntriesView({ query: {} }).query).toBeUndefined();
  expect(readEntriesView({ query: '{Name:' }).query).toBe('{Name:');
});

it('points at a row or a cell, and at nothing that could not be one', () => {
  for (const pointed of [
    { entryId: 123, field: 'Stage' },
    { entryId: 2_147_483_647, field: '' },
  ])
    expect(readPointed(writePointed(pointed))).toEqual(pointed);
  expect(writePointed({ entryId: 5, field: '' })).toEqual({ entry: 5 });
  for (const entry of [undefined, 0, -3, 1.5, 2_147_483_648, 'x'])
    expect(readPointed({ entry, field: 'Stage' })).toBeUndefined();
  expect(writePointed(undefined)).toEqual({});
});

const field = (id: number, apiName: string, isKey = false) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  ...PLAIN_FIELD,
  isKey,
});

it('has the key first, then what was moved, then the others; hidden ones nowhere', () => {
  const fields = schemaOf([], [field(1, 'A'), field(2, 'B'), field(3, 'Name', true), field(4, 'C')]).fieldsOf(
    1,
  );
  const none = AS_SCHEMA;
  const names = (choice: ColumnChoice) => orderedFields(fields, choice).map(({ apiName }) => apiName);
  expect(names(none)).toEqual(['Name', 'A', 'B', 'C']);
  expect(orderedFields(fields, moved(fields, none, 'C', -2)).map(({ apiName }) => apiName)).toEqual([
    'Name',
    'C',
    'A',
    'B',
  ]);
  expect(moved(fields, none, 'A', -1)).toBe(none);
  const shown = columnsOf(fields, {
    hidden: ['A', 'Name'],
    order: ['Gone', 'C'],
    widths: { C: 9999, B: 1 },
    frozen: 1,
  });
  expect(shown.map(({ field: { apiName }, width }) => [apiName, width])).toEqual([
    ['Name', 240],
    ['C', 900],
    ['B', 64],
  ]);
});

it('keeps only what makes sense of the columns of last time', () => {
  expect(readChoice('{"hidden":["A",1],"order":5,"widths":{"A":"x","B":90},"frozen":99}')).toEqual({
    hidden: ['A'],
    order: [],
    widths: { B: 90 },
    frozen: 10,
  });
  expect(readChoice('{}')).toEqual(AS_SCHEMA);
  expect(readChoice('nonsense')).toBeUndefined();
});

it('keeps columns at the side in the order in which they were pinned', () => {
  const fields = schemaOf([], [field(1, 'A'), field(2, 'B'), field(3, 'Name', true), field(4, 'C')]).fieldsOf(
    1,
  );
  const two = pinning(fields, pinning(fields, AS_SCHEMA, 'C'), 'B');
  expect([two.frozen, pinned(fields, two)]).toEqual([3, ['C', 'B']]);
  const names = (choice: ColumnChoice) => columnsOf(fields, choice).map((one) => one.field.apiName);
  expect(names(two)).toEqual(['Name', 'C', 'B', 'A']);
  const one = pinning(fields, two, 'C');
  expect([one.frozen, names(one)]).toEqual([2, ['Name', 'B', 'C', 'A']]);
  // One that is hidden no longer stays, and what is pinned is shown.
  expect(hiding(fields, two, ['B']).frozen).toBe(2);
  expect(names(pinning(fields, hiding(fields, AS_SCHEMA, ['C']), 'C'))).toEqual(['Name', 'C', 'A', 'B']);
});

it('tells dates in UTC or in another zone, and a moment in all of them', () => {
  expect(dateWords('2026-03-01T00:00:00.000Z', true)).toMatch(/2026/);
  expect(dateNote('2026-03-01T23:30:00.000Z', false, 'Europe/Berlin', 'America/New_York')).toMatch(
    /^2026-03-01 23:30:00 UTC · on the site .*2.* · where you are .*18|6:30/,
  );
  expect(dateNote('2026-03-01T00:00:00.000Z', true, 'Europe/Berlin', 'UTC')).toBe(
    '2026-03-01, a day without a time: the same in every time zone',
  );
  expect(dateWords('2026-03-01T23:30:00.000Z', false, 'Europe/Berlin')).toMatch(/2,? 2026|2 Mar/);
  expect(zoneMark('2026-03-01T23:30:00.000Z', 'UTC')).toBe('UTC');
  expect(zoneMark('2026-03-01T23:30:00.000Z', 'Europe/Berlin')).toMatch(/GMT\+1|CET/);
  expect(dateWords('no date', false)).toBe('no date');
});
