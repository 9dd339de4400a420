import { expect, test } from 'vitest';
import type { Filters } from './engine/directory-query.ts';
import type { DirectoryQuery } from './engine/directory-query.ts';
import { toRow } from './engine/row.ts';
import type { DirectoryRow } from './engine/row.ts';
import { createPeopleIndex } from './people-index.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const NONE: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };

interface Person {
  id: number;
  name: [string, string];
  email?: string;
  license?: number;
  isActive?: boolean;
  isLocked?: boolean;
  groups?: number[];
  modified?: string;
}

const person = ({
  id,
  name,
  email,
  license = 1,
  isActive = true,
  isLocked = false,
  groups = [],
  modified,
}: Person): DirectoryRow =>
  toRow(
    {
      id,
      email: email ?? `user${id}@northlight.example`,
      firstName: name[0],
      lastName: name[1],
      isActive,
      isLocked,
      groups,
      createdDate: '2025-01-01T00:00:00Z',
      modifiedDate: modified ?? '2025-06-01T00:00:00Z',
      createdBy: null,
      modifiedBy: null,
      twoFactorEnabled: id % 2 === 0,
      ipRestrictionsEnabled: false,
    },
    license,
  );

const PEOPLE = [
  person({ id: 12, name: ['Bjørn', 'Håkonsen'], email: 'Bjorn.H@northlight.example', groups: [7] }),
  person({ id: 13, name: ['Inês', 'Carvalho'], license: 2, modified: '2026-11-20T01:00:00Z' }),
  person({
    id: 14,
    name: ['Ada', 'Okafor'],
    isActive: false,
    groups: [7, 9],
    modified: '2026-11-15T00:00:00Z',
  }),
  person({ id: 15, name: ['Ada', 'Okafor-Lind'], isLocked: true, license: 4 }),
];

const index = createPeopleIndex();
index.upsert(PEOPLE);
index.setGroups([
  { id: 7, name: 'Finance Team' },
  { id: 9, name: 'Adaptation' },
]);

const find = (query: Partial<Omit<DirectoryQuery, 'filters'>> & { filters?: Partial<Filters> }) =>
  index.search(
    { q: '', sort: { by: 'name', descending: false }, ...query, filters: { ...NONE, ...query.filters } },
    NOW,
  );
const ids = (query: Parameters<typeof find>[0]) => Array.from(find(query).ids);

test('ignores accents and case in the query and in the data', () => {
  expect(ids({ q: 'BJORN hakon' })).toEqual([12]);
  expect(ids({ q: 'inês' })).toEqual([13]);
});

test('requires every word to occur in the name or e-mail', () => {
  expect(ids({ q: 'ada okafor' })).toEqual([14, 15]);
  expect(ids({ q: 'ada user15' })).toEqual([15]);
  expect(ids({ q: 'ada bjorn' })).toEqual([]);
});

test('matches a quoted text against the whole name or address', () => {
  expect(ids({ q: '"ada okafor"' })).toEqual([14]);
  expect(ids({ q: '"bjorn.h@northlight.example"' })).toEqual([12]);
  expect(ids({ q: '"ada okafor' })).toEqual([14]);
});

test('restricts id: and email: to that property', () => {
  expect(ids({ q: 'id:12' })).toEqual([12]);
  expect(ids({ q: 'id: 1' })).toEqual([]);
  expect(ids({ q: 'email:h@north' })).toEqual([12]);
  expect(ids({ q: 'email:"user13@northlight.example"' })).toEqual([13]);
  expect(ids({ q: 'email:ada' })).toEqual([]);
});

test('finds users that match any item of a pasted list', () => {
  expect(ids({ q: 'user13@northlight.example; 14, bjorn' })).toEqual([14, 12, 13]);
});

test('combines values of a filter by or and filters by and', () => {
  expect(ids({ filters: { status: ['inactive', 'locked'] } })).toEqual([14, 15]);
  expect(ids({ filters: { group: ['7'], status: ['active'] } })).toEqual([12]);
  expect(ids({ filters: { license: ['2', '4'], twoFactor: ['off'] } })).toEqual([15, 13]);
});

test('shows all users for active and inactive together', () => {
  expect(ids({ filters: { status: ['active', 'inactive'] } })).toHaveLength(PEOPLE.length);
});

test('counts a change of today among the last seven days', () => {
  expect(ids({ filters: { changed: ['1'] } })).toEqual([13]);
  expect(ids({ filters: { changed: ['7'] } })).toEqual([14, 13]);
});

test('counts what each value would show with the other filters unchanged', () => {
  const { counts } = find({ filters: { status: ['active'], group: ['7'] } });
  expect(counts.status).toEqual({ active: 1, inactive: 1 });
  expect(counts.group).toEqual({ 7: 1 });
  expect(counts.license).toEqual({ 1: 1 });
});

test('sorts equal values by name, then id, in both directions', () => {
  expect(ids({ sort: { by: 'license', descending: true } })).toEqual([15, 13, 14, 12]);
  expect(ids({ sort: { by: 'created', descending: true } })).toEqual([14, 15, 12, 13]);
});

test('matches group: and license: against any part of the name, a plain word against whole words', () => {
  expect(ids({ q: 'group:fin' })).toEqual([14, 12]);
  expect(ids({ q: 'group:"finance team"' })).toEqual([14, 12]);
  expect(ids({ q: 'group:"finance"' })).toEqual([]);
  expect(ids({ q: 'license:lim' })).toEqual([13]);
  expect(ids({ q: 'licence: "no license"' })).toEqual([15]);
  expect(ids({ q: 'finance' })).toEqual([14, 12]);
  expect(ids({ q: 'financ' })).toEqual([]);
  expect(ids({ q: 'ada finance' })).toEqual([14]);
  expect(ids({ q: 'limited' })).toEqual([13]);
});

test('combines the parts of a query and ignores a mode without text', () => {
  expect(ids({ q: 'group:finance license:standard ada' })).toEqual([14]);
  expect(ids({ q: 'ada group:' })).toEqual([14, 15]);
  expect(ids({ q: 'id:' })).toHaveLength(PEOPLE.length);
});

test('finds an id by its number, also beside other words', () => {
  expect(ids({ q: '12' })).toEqual([12]);
  expect(ids({ q: 'ada 15' })).toEqual([15]);
});

test('allows list separators within a quoted text', () => {
  expect(ids({ q: '“ada okafor”, "inês carvalho"' })).toEqual([14, 13]);
  expect(ids({ q: '"okafor, ada"' })).toEqual([]);
});

test('returns rows unchanged in the requested order without unknown ids', () => {
  expect(index.getRows([15, 99, 12, 13])).toEqual([PEOPLE[3], PEOPLE[0], PEOPLE[1]]);
  expect(Array.from(index.getIds())).toEqual([12, 13, 14, 15]);
  expect([index.size, index.billable]).toEqual([4, 3]);
});

test('sorts names by language: ignores accents and case, 2 before 10', () => {
  const other = createPeopleIndex();
  const names = ['zoë 10', 'Zoe 2', 'Élodie B', 'eda c', 'Ömer A', 'Anna-Maria B', 'Anna Z'];
  other.upsert(
    names.map((name, id) => person({ id, name: [name.split(' ')[0] ?? '', name.split(' ')[1] ?? ''] })),
  );
  const order = (descending: boolean) =>
    Array.from(
      other.search({ q: '', filters: NONE, sort: { by: 'name', descending } }).ids,
      (id) => names[id],
    );
  const expected = ['Anna Z', 'Anna-Maria B', 'eda c', 'Élodie B', 'Ömer A', 'Zoe 2', 'zoë 10'];
  expect(order(false)).toEqual(expected);
  expect(order(true)).toEqual(expected.toReversed());
});
