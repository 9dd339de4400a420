import { expect, test } from 'vitest';
import { toBackups } from './backups.ts';
import { filterBackups, parseBackupsView, serializeBackupsView } from './view.ts';

const all = toBackups({
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
  filterBackups(all, parseBackupsView(search)).rows.map(({ fileName }) => fileName);

test('a view survives serializing and parsing, without defaults', () => {
  for (const search of [
    {},
    { q: 7, status: 'ready-failed', kind: 'scheduled', sort: 'size', hide: 'none' },
    { sort: '-name', hide: 'sha256-kind' },
  ])
    expect(serializeBackupsView(parseBackupsView(search))).toEqual(search);
  expect(serializeBackupsView(parseBackupsView({ status: 'x', kind: 3, sort: '-when', hide: 'y' }))).toEqual(
    {},
  );
});

test('sorts newest first by default, filters and counts', () => {
  expect(names({})).toEqual(['c.zip', 'b.zip', 'a.zip']);
  expect(names({ sort: 'size' })).toEqual(['c.zip', 'b.zip', 'a.zip']);
  expect(names({ sort: '-size' })).toEqual(['a.zip', 'b.zip', 'c.zip']);
  expect(names({ q: 'zoe' })).toEqual(['b.zip']);
  expect(names({ kind: 'scheduled' })).toEqual(['c.zip']);
  // Other installations send no state: their listed backups are ready.
  expect(names({ status: 'ready' })).toEqual(['b.zip', 'a.zip']);
  expect(filterBackups(all, parseBackupsView({})).counts).toEqual({
    state: { running: 1, ready: 2 },
    kind: { scheduled: 1, asked: 2 },
  });
});
