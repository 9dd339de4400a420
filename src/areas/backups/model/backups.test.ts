import { expect, test } from 'vitest';
import { backupsQuery, haveSameScope, findPrevious, toBackups } from './backups.ts';

const [latest, partial, failed, oldest] = toBackups([
  { fileName: 'd.zip', createdDate: '2026-03-04', status: 'Ready', entryTypes: ['Deal', 'Company'] },
  { fileName: 'c.zip', createdDate: '2026-03-03', status: 'Ready', entryTypes: ['Deal'] },
  { fileName: 'b.zip', createdDate: '2026-03-02', status: 'Failed', entryTypes: ['Company', 'Deal'] },
  { fileName: 'a.zip', createdDate: '2026-03-01', entryTypes: ['Company', 'Deal'] },
]);
if (!latest || !partial || !failed || !oldest) throw new Error('Four were given');
const all = [latest, partial, failed, oldest];

test('compares with the latest backup of the same scope, or the latest of all', () => {
  expect(findPrevious(all, latest)).toBe(oldest);
  expect(findPrevious(all, partial)).toBe(oldest);
  expect(findPrevious([latest, partial], latest)).toBe(partial);
  expect(findPrevious(all, oldest)).toBeUndefined();
});

const getInterval = (...data: Parameters<typeof toBackups>[0] & unknown[]) =>
  backupsQuery.refetchInterval({ state: { data } });

test('backups of the whole site have the same scope, regardless of their entry types', () => {
  const site = { status: 'Ready', progress: 100, isWholeSite: true } as const;
  const before = { ...site, fileName: 'a.zip', entryTypes: ['Company'] };
  const after = { ...site, fileName: 'b.zip', entryTypes: ['Company', 'Deal'] };
  expect(haveSameScope(before, after)).toBe(true);
  expect(haveSameScope({ ...before, isWholeSite: false }, after)).toBe(false);
});

test('polls the list only while a backup or verification is in progress', () => {
  expect(getInterval({ fileName: 'a.zip', status: 'Ready' })).toBe(false);
  expect(getInterval({ fileName: 'a.zip', status: 'Queued' })).toBeGreaterThan(0);
  const verified = { state: 'running', date: '2026-03-01' } as const;
  expect(getInterval({ fileName: 'a.zip', status: 'Ready', verified })).toBeGreaterThan(0);
  expect(backupsQuery.refetchInterval({ state: {} })).toBe(false);
});
