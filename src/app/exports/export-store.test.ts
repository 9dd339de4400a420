import 'fake-indexeddb/auto';
import { beforeEach, expect, test } from 'vitest';
import { deleteStoredJobs } from '../jobs/jobs.ts';
import { deleteExport, loadExportFile, saveExport, loadExports } from './export-store.ts';
import type { ExportRecord } from './export-store.ts';

const ME = { userId: 7, siteId: 1 };
const record = (id: string, more: Partial<ExportRecord> = {}): ExportRecord => ({
  id,
  identity: ME,
  startedAt: new Date().toISOString(),
  name: `${id}.csv`,
  filterText: 'License: Standard',
  search: { license: 1 },
  rows: 2,
  sizeBytes: 5,
  durationMs: 12,
  state: 'done',
  ...more,
});
const file = new Blob(['a,b\r\n']);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

beforeEach(deleteStoredJobs);

test('lists an export with its file until it is deleted', async () => {
  await saveExport(record('one', { startedAt: daysAgo(1) }), file);
  await saveExport(record('two', { state: 'failed', why: 'No', rows: 0, sizeBytes: 0 }), undefined);
  const listed = await loadExports(ME);
  expect(listed.map(({ id, hasFile }) => [id, hasFile])).toEqual([
    ['two', false],
    ['one', true],
  ]);
  expect(await (await loadExportFile('one'))?.text()).toBe('a,b\r\n');
  await deleteExport('one');
  expect(await loadExportFile('one')).toBeUndefined();
  expect((await loadExports(ME)).map(({ id }) => id)).toEqual(['two']);
});

test('deletes old files first and their records later', async () => {
  await saveExport(record('week', { startedAt: daysAgo(8) }), file);
  await saveExport(record('month', { startedAt: daysAgo(31) }), file);
  expect(await loadExports(ME)).toMatchObject([{ id: 'week', hasFile: false, rows: 2 }]);
  expect(await loadExportFile('week')).toBeUndefined();
});

test('lists only exports of the user and site; sign-out deletes all', async () => {
  await saveExport(record('other', { identity: { userId: 8, siteId: 1 } }), file);
  await saveExport(record('elsewhere', { identity: { userId: 7, siteId: 2 } }), file);
  expect(await loadExports(ME)).toEqual([]);
  expect(await loadExportFile('other')).toBeUndefined();
  expect(await loadExports({ userId: 7, siteId: 2 })).toHaveLength(1);
  await deleteStoredJobs();
  expect(await loadExports({ userId: 7, siteId: 2 })).toEqual([]);
});
