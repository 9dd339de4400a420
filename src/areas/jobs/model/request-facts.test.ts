import { expect, test } from 'vitest';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { countExportedFields, getExportedList, getItemEntry, listRequestFacts } from './request-facts.ts';

test('an export says its type, filter, fields and format; many fields are counted', () => {
  const parameters = {
    entryType: '7',
    typeName: 'Companies',
    filterText: 'City is Hamburg',
    format: 'csv',
    fields: ['Name', 'City', 'C', 'D', 'E', 'F', 'G', 'H'],
    query: { City: 'Hamburg' },
  };
  expect(listRequestFacts({ kind: 'entries.export', parameters })).toEqual([
    { label: 'Type', values: ['Companies'] },
    { label: 'Filter', values: ['City is Hamburg'] },
    { label: 'Fields', values: ['Name', 'City', 'C', 'D', 'E', 'F', '2 more'] },
    { label: 'Format', values: ['CSV'] },
  ]);
  expect(getExportedList({ kind: 'entries.export', parameters })).toEqual({
    type: '7',
    query: { City: 'Hamburg' },
  });
  const asOf = '2026-01-01T00:00:00Z';
  expect(getExportedList({ kind: 'entries.export', parameters: { ...parameters, asOf } })).toBeUndefined();
});

test('an export without filter, selection and state says that it has all rows', () => {
  const job = { kind: 'entries.export', parameters: { typeName: 'Companies', format: 'csv' } } as const;
  const file = { rows: 1500 };
  const getRows = (parameters: Job['parameters'], kind: Job['kind'] = 'entries.export') =>
    listRequestFacts({ kind, parameters: { ...job.parameters, ...parameters }, file }).find(
      ({ label }) => label === 'Rows',
    )?.values;
  expect(getRows({})).toEqual(['All 1,500 Companies']);
  expect(getRows({ query: {} })).toEqual(['All 1,500 Companies']);
  expect(getRows({}, 'users.export')).toEqual(['All 1,500 Users']);
  expect(getRows({ query: { City: 'Hamburg' } })).toBeUndefined();
  expect(getRows({ query: "City = 'Hamburg'" })).toBeUndefined();
  expect(getRows({ filterText: 'City is Hamburg' })).toBeUndefined();
  expect(getRows({ only: 'changed' })).toBeUndefined();
  expect(getRows({ isSelection: true }, 'users.export')).toBeUndefined();
  expect(getRows({}, 'activity.export')).toBeUndefined();
  // While it runs, the number is not known.
  expect(listRequestFacts(job).map(({ label }) => label)).toEqual(['Type', 'Format']);
});

test('an export of entries says how many fields it has', () => {
  expect(countExportedFields({ kind: 'entries.export', parameters: { fields: ['Name', 'City'] } })).toBe(
    '2 fields',
  );
  expect(countExportedFields({ kind: 'entries.export', parameters: {} })).toBe('All fields');
  expect(countExportedFields({ kind: 'users.export', parameters: {} })).toBeUndefined();
});

test('a report of a query leads to its list, one of selected entries does not', () => {
  const parameters = { entryTypeId: 7, selected: null, query: { City: 'Hamburg' } };
  expect(getExportedList({ kind: 'report', parameters })).toEqual({ type: '7', query: parameters.query });
  expect(getExportedList({ kind: 'report', parameters: { entryTypeId: 7, selected: 2 } })).toBeUndefined();
});

test('jobs whose title says everything have no facts; imports name their file', () => {
  expect(listRequestFacts({ kind: 'users.update', parameters: { isActive: false } })).toEqual([]);
  expect(
    listRequestFacts({ kind: 'entries.import', parameters: { typeId: 7, fileName: 'a.xlsx', sheet: 'May' } }),
  ).toEqual([
    { label: 'File', values: ['a.xlsx'] },
    { label: 'Worksheet', values: ['May'] },
  ]);
});

test('an item links to its entry, also to one that an import created, but not to a deleted one', () => {
  const parameters = { typeId: 7 };
  const item = { input: { entryId: 12 }, before: null, state: 'done' };
  expect(getItemEntry({ kind: 'entries.update', parameters }, item)).toEqual({ typeId: 7, entryId: 12 });
  expect(
    getItemEntry(
      { kind: 'entries.import', parameters },
      { input: { row: 2 }, before: { entryId: 13, isNew: true }, state: 'done' },
    ),
  ).toEqual({ typeId: 7, entryId: 13 });
  expect(getItemEntry({ kind: 'entries.delete', parameters }, item)).toBeUndefined();
  expect(getItemEntry({ kind: 'entries.delete', parameters }, { ...item, state: 'failed' })).toBeDefined();
  expect(getItemEntry({ kind: 'users.update', parameters }, item)).toBeUndefined();
});
