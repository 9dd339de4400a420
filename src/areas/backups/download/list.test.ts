import { expect, test } from 'vitest';
import { backupsQuery, haveOneScope, previousOf, readBackups } from './list.ts';

const [young, part, failed, old] = readBackups([
  { fileName: 'd.zip', createdDate: '2026-03-04', status: 'Ready', entryTypes: ['Deal', 'Company'] },
  { fileName: 'c.zip', createdDate: '2026-03-03', status: 'Ready', entryTypes: ['Deal'] },
  { fileName: 'b.zip', createdDate: '2026-03-02', status: 'Failed', entryTypes: ['Company', 'Deal'] },
  { fileName: 'a.zip', createdDate: '2026-03-01', entryTypes: ['Company', 'Deal'] },
]);
if (!young || !part || !failed || !old) throw new Error('Four were given');
const all = [young, part, failed, old];

test('compared with the last one of the same scope, or else with the last', () => {
  expect(previousOf(all, young)).toBe(old);
  expect(previousOf(all, part)).toBe(old);
  expect(previousOf([young, part], young)).toBe(part);
  expect(previousOf(all, old)).toBeUndefined();
});

const every = (...data: Parameters<typeof readBackups>[0] & unknown[]) =>
  backupsQuery.refetchInterval({ state: { data } });

test('two of the whole site have one scope, whatever types the site had at the time', () => {
  const site = { status: 'Ready', progress: 100, isWholeSite: true } as const;
  const before = { ...site, fileName: 'a.zip', entryTypes: ['Company'] };
  const after = { ...site, fileName: 'b.zip', entryTypes: ['Company', 'Deal'] };
  expect(haveOneScope(before, after)).toBe(true);
  expect(haveOneScope({ ...before, isWholeSite: false }, after)).toBe(false);
});

test('the list is read again only while something goes on', () => {
  expect(every({ fileName: 'a.zip', status: 'Ready' })).toBe(false);
  expect(every({ fileName: 'a.zip', status: 'Queued' })).toBeGreaterThan(0);
  const verified = { state: 'running', date: '2026-03-01' } as const;
  expect(every({ fileName: 'a.zip', status: 'Ready', verified })).toBeGreaterThan(0);
  expect(backupsQuery.refetchInterval({ state: {} })).toBe(false);
});
