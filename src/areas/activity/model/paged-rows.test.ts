import { expect, test } from 'vitest';
import { prependRows, mergeNewRows, NO_NEW_ROWS } from './paged-rows.ts';
import {
  formatAddress,
  formatExported,
  formatExportType,
  getActorName,
  getExportedEntries,
  getPrincipal,
} from './row.ts';
import type { ActivityRow } from './row.ts';

const SINCE = Date.parse('2026-11-21T08:00:00Z');
const row = (activityId: number, seconds: number, more: Partial<ActivityRow> = {}): ActivityRow => ({
  activityId,
  userId: 7,
  userName: 'ada@example.com',
  fullName: 'Ada Marsh',
  eventDate: new Date(SINCE + seconds * 1000).toISOString(),
  activityTypeId: 1,
  activityType: 'Login Successful',
  sourceTypeId: 1,
  sourceType: 'Web UI',
  ...more,
});
const ids = (rows: readonly ActivityRow[]) => rows.map(({ activityId }) => activityId);

test('new rows are added once, newest first, and marked as new', () => {
  const first = mergeNewRows(NO_NEW_ROWS, [row(3, 2), row(2, 0), row(1, -1)], SINCE, 100);
  expect(ids(first.rows)).toEqual([3, 2]);
  expect(first.rows.every(({ isNew }) => isNew)).toBe(true);
  const second = mergeNewRows(first, [row(5, 4), row(4, 1), row(3, 2)], SINCE, 100);
  expect(ids(second.rows)).toEqual([5, 3, 4, 2]);
  expect(mergeNewRows(second, [row(5, 4)], SINCE, 100)).toBe(second);
});

test('a full response of new rows leaves a gap', () => {
  const current = mergeNewRows(NO_NEW_ROWS, [row(1, 1)], SINCE, 2);
  expect(current.hasGap).toBe(false);
  expect(mergeNewRows(current, [row(3, 3), row(2, 2)], SINCE, 2).hasGap).toBe(true);
  expect(mergeNewRows(current, [row(2, 2), row(1, 1)], SINCE, 2).hasGap).toBe(false);
});

test('rows in front of others keep their order', () => {
  const rows = ['1a', '1b'];
  expect(prependRows(['new'], rows).at(1)).toBe('1a');
  expect(prependRows(['new'], rows).length).toBe(3);
  expect(prependRows([], rows)).toBe(rows);
});

const getEntries = (detail: object) =>
  getExportedEntries({
    exportDetail: {
      subject: 'company',
      rows: 1,
      type: 'Companies',
      filter: null,
      fields: [],
      format: 'csv',
      ...detail,
    },
  });

test('an export of entries leads to its list', () => {
  const query = { City: { $eq: 'Oslo' } };
  expect(getEntries({ entryTypeId: 7, query: JSON.stringify(query), asOf: null })).toEqual({
    type: '7',
    query,
  });
  expect(getEntries({ entryTypeId: 7, query: null })).toEqual({ type: '7', query: {} });
  // A report of a query; one of selected entries has no list.
  const report = { entryTypeId: 7, templateId: 3, template: 'Profile', format: 'docx' };
  expect(getEntries({ ...report, query: JSON.stringify(query), entries: null })).toEqual({
    type: '7',
    query,
  });
  expect(getEntries({ ...report, query: null, entries: [12] })).toBeUndefined();
  // Users, a list of the past, a text query, a query that was cut off.
  expect(getEntries({ query: null })).toBeUndefined();
  expect(getEntries({ entryTypeId: 7, query: null, asOf: '2026-01-01T00:00:00Z' })).toBeUndefined();
  expect(getEntries({ entryTypeId: 7, query: '"City"' })).toBeUndefined();
  expect(getEntries({ entryTypeId: 7, query: '{"City":' })).toBeUndefined();
  expect(getExportedEntries({})).toBeUndefined();
});

test('an export says type, rows, fields, format and filter', () => {
  const exportDetail = {
    subject: 'companies',
    rows: 1204,
    type: 'Companies',
    filter: 'City is Oslo',
    fields: ['Name', 'City'],
    format: 'csv',
  } as const;
  expect(formatExported({ exportDetail: { ...exportDetail, fields: [...exportDetail.fields] } })).toBe(
    'Companies: 1,204 rows, 2 fields as CSV, City is Oslo',
  );
  expect(formatExported({ exportDetail: { ...exportDetail, fields: [], filter: null, rows: 1 } })).toBe(
    'Companies: 1 row as CSV',
  );
  expect(formatExported({ exportDetail: undefined })).toBeUndefined();
});

test('formats the properties of a row', () => {
  expect(formatAddress({ ipAddress: 3_405_803_783 })).toBe('203.0.113.7');
  expect(formatAddress({ ipAddress: '2001:db8::1' })).toBe('2001:db8::1');
  expect(formatAddress({})).toBeUndefined();
  expect(getActorName(row(1, 0, { fullName: ' ', userName: '' }))).toBe('User 7');
  expect(formatExportType(row(1, 0, { exportDataType: 0 }))).toBe('Export Data');
  expect(formatExportType(row(1, 0, { exportDataType: null }))).toBeUndefined();
  expect(getPrincipal(row(1, 0))).toBeUndefined();
  expect(getPrincipal(row(1, 0, { principalUserId: 3 }))).toEqual({ id: 3, name: 'User 3' });
  expect(getPrincipal(row(1, 0, { principalUserName: 'b@example.com' }))).toEqual({
    id: undefined,
    name: 'b@example.com',
  });
});
