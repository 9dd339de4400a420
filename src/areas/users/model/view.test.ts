import { expect, test } from 'vitest';
import { DEFAULT_VIEW, isNarrowed, readView, writeView } from './view.ts';
import type { UsersView } from './view.ts';

const VIEWS: [string, UsersView][] = [
  ['the default', DEFAULT_VIEW],
  ['no status at all', { ...DEFAULT_VIEW, filters: { ...DEFAULT_VIEW.filters, status: [] } }],
  [
    'everything at once',
    {
      q: '12, ada',
      filters: {
        status: ['locked'],
        license: ['1', '4'],
        group: ['7', '12'],
        twoFactor: ['off'],
        addresses: ['on'],
        changed: ['30'],
      },
      sort: { by: 'modified', descending: true },
      hidden: ['groups', 'id'],
    },
  ],
  ['all columns', { ...DEFAULT_VIEW, hidden: [] }],
];

test.each(VIEWS)('%s comes back from its address', (_name, view) => {
  expect(readView({ ...writeView(view) })).toEqual(view);
});

test('what is so by default is not in the address', () => {
  expect(writeView(DEFAULT_VIEW)).toEqual({});
  expect(isNarrowed(DEFAULT_VIEW)).toBe(false);
});

test('a key that makes no sense falls back alone', () => {
  const view = readView({
    status: 'locked-nonsense',
    license: 9,
    sort: '-shoe',
    group: { a: 1 },
    q: 42,
    hide: 'x',
  });
  expect(view).toEqual({
    ...DEFAULT_VIEW,
    q: '42',
    filters: { ...DEFAULT_VIEW.filters, status: ['locked'] },
  });
});

test('a single id, which the router reads as a number, is understood', () => {
  expect(readView({ group: 7 }).filters.group).toEqual(['7']);
});
