import { expect, test } from 'vitest';
import { readBackups } from '../download/list.ts';
import { findBackups, readView, writeView } from './view.ts';

const all = readBackups({
  data: [
    { fileName: 'c.zip', createdDate: '2026-03-03', status: 'Running', isScheduled: true, progress: 4 },
    {
      fileName: 'b.zip',
      createdDate: '2026-03-02',
      status: 'Ready',
      size: 7,
      requestedByEmail: 'Zoë@x.example',
    },
    { fileName: 'a.zip', createdDate: '2026-03-01', size: 9 },
  ],
});
const names = (search: Record<string, unknown>) =>
  findBackups(all, readView(search)).rows.map(({ fileName }) => fileName);

test('an address is read and written without what is so by default', () => {
  for (const search of [
    {},
    { q: 7, status: 'ready-failed', kind: 'scheduled', sort: 'size', hide: 'none' },
    { sort: '-name', hide: 'sha256-kind' },
  ])
    expect(writeView(readView(search))).toEqual(search);
  expect(writeView(readView({ status: 'x', kind: 3, sort: '-when', hide: 'y' }))).toEqual({});
});

test('the newest first, or as asked', () => {
  expect(names({})).toEqual(['c.zip', 'b.zip', 'a.zip']);
  expect(names({ sort: 'size' })).toEqual(['c.zip', 'b.zip', 'a.zip']);
  expect(names({ sort: '-size' })).toEqual(['a.zip', 'b.zip', 'c.zip']);
  expect(names({ q: 'zoe' })).toEqual(['b.zip']);
  expect(names({ kind: 'scheduled' })).toEqual(['c.zip']);
  // Another installation says no state: what it lists is there.
  expect(names({ status: 'ready' })).toEqual(['b.zip', 'a.zip']);
  expect(findBackups(all, readView({})).counts).toEqual({
    state: { running: 1, ready: 2 },
    kind: { scheduled: 1, asked: 2 },
  });
});
