import { expect, test } from 'vitest';
import type { Filters } from './facets.ts';
import { createIndex } from './people-index.ts';
import { toRow } from './row.ts';
import type { DirectoryRow } from './row.ts';

import type { DirectoryQuery } from './search.ts';

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

const index = createIndex();
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

test('accents and case do not count, on either side', () => {
  expect(ids({ q: 'BJORN hakon' })).toEqual([12]);
  expect(ids({ q: 'inês' })).toEqual([13]);
});

test('every word must occur, in name or e-mail', () => {
  expect(ids({ q: 'ada okafor' })).toEqual([14, 15]);
  expect(ids({ q: 'ada user15' })).toEqual([15]);
  expect(ids({ q: 'ada bjorn' })).toEqual([]);
});

test('a quoted text is the whole name or address', () => {
  expect(ids({ q: '"ada okafor"' })).toEqual([14]);
  expect(ids({ q: '"bjorn.h@northlight.example"' })).toEqual([12]);
  expect(ids({ q: '"ada okafor' })).toEqual([14]);
});

test('id: and email: look only there', () => {
  expect(ids({ q: 'id:12' })).toEqual([12]);
  expect(ids({ q: 'id: 1' })).toEqual([]);
  expect(ids({ q: 'email:h@north' })).toEqual([12]);
  expect(ids({ q: 'email:"user13@northlight.example"' })).toEqual([13]);
  expect(ids({ q: 'email:ada' })).toEqual([]);
});

test('a pasted list finds whoever matches one of it', () => {
  expect(ids({ q: 'user13@northlight.example; 14, bjorn' })).toEqual([14, 12, 13]);
});

test('values of one filter widen, filters together narrow', () => {
  expect(ids({ filters: { status: ['inactive', 'locked'] } })).toEqual([14, 15]);
  expect(ids({ filters: { group: ['7'], status: ['active'] } })).toEqual([12]);
  expect(ids({ filters: { license: ['2', '4'], twoFactor: ['off'] } })).toEqual([15, 13]);
});

test('nobody is hidden by asking for the active and the inactive', () => {
  expect(ids({ filters: { status: ['active', 'inactive'] } })).toHaveLength(PEOPLE.length);
});

test('a change of today is one of the last seven days too', () => {
  expect(ids({ filters: { changed: ['1'] } })).toEqual([13]);
  expect(ids({ filters: { changed: ['7'] } })).toEqual([14, 13]);
});

test('counts tell what each value would show with the other filters as they are', () => {
  const { counts } = find({ filters: { status: ['active'], group: ['7'] } });
  expect(counts.status).toEqual({ active: 1, inactive: 1 });
  expect(counts.group).toEqual({ 7: 1 });
  expect(counts.license).toEqual({ 1: 1 });
});

test('equal values are ordered by name, then id, in both directions', () => {
  expect(ids({ sort: { by: 'license', descending: true } })).toEqual([15, 13, 14, 12]);
  expect(ids({ sort: { by: 'created', descending: true } })).toEqual([14, 15, 12, 13]);
});

test('group: and license: look for a piece of the name, a bare word for a whole word of it', () => {
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

test('parts of a search are joined, and a mode without its text asks for nothing yet', () => {
  expect(ids({ q: 'group:finance license:standard ada' })).toEqual([14]);
  expect(ids({ q: 'ada group:' })).toEqual([14, 15]);
  expect(ids({ q: 'id:' })).toHaveLength(PEOPLE.length);
});

test('the id is found by the bare number, beside other words too', () => {
  expect(ids({ q: '12' })).toEqual([12]);
  expect(ids({ q: 'ada 15' })).toEqual([15]);
});

test('a quoted text may hold what otherwise parts a list', () => {
  expect(ids({ q: '“ada okafor”, "inês carvalho"' })).toEqual([14, 13]);
  expect(ids({ q: '"okafor, ada"' })).toEqual([]);
});

test('rows come back as they were put in, in the order asked and without the unknown', () => {
  expect(index.rowsOf([15, 99, 12, 13])).toEqual([PEOPLE[3], PEOPLE[0], PEOPLE[1]]);
  expect(Array.from(index.ids())).toEqual([12, 13, 14, 15]);
  expect([index.size, index.billable]).toEqual([4, 3]);
});

test('names are in the order of the language: accents and case do not count, 2 is before 10', () => {
  const other = createIndex();
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
