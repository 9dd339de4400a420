import { expect, test } from 'vitest';
import { DEFAULT_VIEW, isFiltered, parseUsersView, serializeUsersView } from './view.ts';
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

test.each(VIEWS)('%s survives serializing and parsing', (_name, view) => {
  expect(parseUsersView({ ...serializeUsersView(view) })).toEqual(view);
});

test('omits defaults from the URL', () => {
  expect(serializeUsersView(DEFAULT_VIEW)).toEqual({});
  expect(isFiltered(DEFAULT_VIEW)).toBe(false);
});

test('falls back to the default for each invalid parameter', () => {
  const view = parseUsersView({
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

test('accepts a single id parsed as a number by the router', () => {
  expect(parseUsersView({ group: 7 }).filters.group).toEqual(['7']);
});
