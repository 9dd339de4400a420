import 'fake-indexeddb/auto';
import { beforeEach, expect, test } from 'vitest';
import { dropBulkJobs } from '../bulk/drop.ts';
import { dropExport, fileOf, keepExport, keptExports } from './keep.ts';
import type { ExportRecord } from './keep.ts';

const ME = { userId: 7, siteId: 1 };
const record = (id: string, more: Partial<ExportRecord> = {}): ExportRecord => ({
  id,
  holder: ME,
  at: new Date().toISOString(),
  name: `${id}.csv`,
  query: 'License: Standard',
  search: { license: 1 },
  rows: 2,
  size: 5,
  took: 12,
  state: 'done',
  ...more,
});
const file = new Blob(['a,b\r\n']);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

beforeEach(dropBulkJobs);

test('an export is listed with its file until it is removed', async () => {
  await keepExport(record('one', { at: daysAgo(1) }), file);
  await keepExport(record('two', { state: 'failed', why: 'No', rows: 0, size: 0 }), undefined);
  const listed = await keptExports(ME);
  expect(listed.map(({ id, isFileKept }) => [id, isFileKept])).toEqual([
    ['two', false],
    ['one', true],
  ]);
  expect(await (await fileOf('one'))?.text()).toBe('a,b\r\n');
  await dropExport('one');
  expect(await fileOf('one')).toBeUndefined();
  expect((await keptExports(ME)).map(({ id }) => id)).toEqual(['two']);
});

test('a file that is too old goes, its record says so; the record goes later', async () => {
  await keepExport(record('week', { at: daysAgo(8) }), file);
  await keepExport(record('month', { at: daysAgo(31) }), file);
  expect(await keptExports(ME)).toMatchObject([{ id: 'week', isFileKept: false, rows: 2 }]);
  expect(await fileOf('week')).toBeUndefined();
});

test('nobody sees the exports of somebody else or of another site; sign-out leaves none', async () => {
  await keepExport(record('other', { holder: { userId: 8, siteId: 1 } }), file);
  await keepExport(record('elsewhere', { holder: { userId: 7, siteId: 2 } }), file);
  expect(await keptExports(ME)).toEqual([]);
  expect(await fileOf('other')).toBeUndefined();
  expect(await keptExports({ userId: 7, siteId: 2 })).toHaveLength(1);
  await dropBulkJobs();
  expect(await keptExports({ userId: 7, siteId: 2 })).toEqual([]);
});
