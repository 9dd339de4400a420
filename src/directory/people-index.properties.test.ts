import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { licenseTypes } from '../../contract/rules/licenses.ts';
import { fold } from '../lib/fold.ts';
import { FILTER_KEYS } from './facets.ts';
import type { Counts, FilterKey, Filters } from './facets.ts';
import { createIndex } from './people-index.ts';
import { toRow } from './row.ts';
import type { DirectoryRow } from './row.ts';
import { SORT_KEYS } from './search.ts';
import type { DirectoryQuery } from './search.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;
const GROUPS = [
  { id: 7, name: 'Finance Team' },
  { id: 8, name: 'Ann & Friends' },
  { id: 9, name: 'Équipe 12' },
];

const name = fc.constantFrom(
  'Anna',
  'anna',
  'Änne',
  'Bjørn',
  'Zoë',
  'zoe',
  'Finance',
  'Lim 2',
  'lim 10',
  '张',
  '',
);
const user = fc.record({
  id: fc.integer({ min: 1, max: 40 }),
  email: fc.tuple(
    fc.constantFrom('ann', 'zoe.2', 'zoe.10', 'b', 'ünal'),
    fc.constantFrom('@a.example', '@B.example'),
  ),
  firstName: name,
  lastName: name,
  isActive: fc.boolean(),
  isLocked: fc.boolean(),
  twoFactorEnabled: fc.boolean(),
  ipRestrictionsEnabled: fc.boolean(),
  groups: fc.subarray([7, 8, 9, 10]),
  createdDate: fc.constantFrom(
    '2025-01-01T00:00:00.000Z',
    '2025-01-01T00:00:00Z',
    '2024-01-01T00:00:00+02:00',
  ),
  modifiedDate: fc
    .constantFrom(0, 0.5, 3, 20, 80, 400)
    .map((days) => new Date(NOW - days * DAY).toISOString()),
  license: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});
const row = user.map(({ license, email, ...told }): DirectoryRow =>
  toRow({ ...told, email: email.join(''), createdBy: null, modifiedBy: null }, license),
);

const VALUES: Record<FilterKey, readonly string[]> = {
  status: ['active', 'inactive', 'locked'],
  license: ['1', '2', '3', '4'],
  group: ['7', '8', '9', '10', '99'],
  twoFactor: ['on', 'off'],
  addresses: ['on', 'off'],
  changed: ['1', '7', '30', '90'],
};
const filters: fc.Arbitrary<Filters> = fc.record({
  status: chosen('status'),
  license: chosen('license'),
  group: chosen('group'),
  twoFactor: chosen('twoFactor'),
  addresses: chosen('addresses'),
  changed: chosen('changed'),
});
function chosen(key: FilterKey) {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...VALUES[key]]) },
  );
}
const WORDS = [
  'ann',
  'anna',
  'an',
  'zo',
  '2',
  '12',
  'finance',
  'limited',
  'license',
  'x',
  'ünal',
  ',',
  ';',
  '\n',
];
const MODES = ['id:12', 'id: 3', 'email:b', 'email:"b@b.example"', 'license:l', '"anna zoe"', 'group:'];
const GROUP_MODES = ['group:fin', 'group:"équipe 12"'];
const word = fc.constantFrom(...WORDS, ...MODES, ...GROUP_MODES);
const typed = fc.array(word, { maxLength: 4 }).map((parts) => parts.join(' '));
const query: fc.Arbitrary<DirectoryQuery> = fc.record({
  q: typed,
  filters,
  sort: fc.record({ by: fc.constantFrom(...SORT_KEYS), descending: fc.boolean() }),
});

const namesOf = ({ groups, licenseTypeId }: DirectoryRow) => ({
  group: GROUPS.filter(({ id }) => groups.includes(id)).map((group) => fold(group.name)),
  license: licenseTypes
    .filter((one) => one.licenseTypeId === licenseTypeId)
    .map((one) => fold(one.description)),
});

/** The search once more as one would say it, for one person at a time. */
function matches(one: DirectoryRow, text: string): boolean {
  const terms = fold(text)
    .split(/[,;\n]/)
    .map((term) =>
      [...term.matchAll(/(?:(\w+):\s*)?(?:"([^"]*)"|([^\s"]+))/g)].filter(([all]) => all !== 'group:'),
    )
    .filter((term) => term.length > 0);
  const isList = terms.length > 1;
  return (
    terms.length === 0 ||
    terms.some((term) =>
      term.every(([, mode, whole, piece = '']) => {
        const says = (texts: readonly string[]) =>
          texts.some((said) => (whole === undefined ? said.includes(piece) : said === whole));
        const { group, license } = namesOf(one);
        if (mode === 'id') return String(one.id) === piece;
        if (mode === 'email') return says([one.foldedEmail]);
        if (mode === 'group') return says(group);
        if (mode === 'license') return says(license);
        if (isList && term.length === 1 && /^\d+$/.test(piece)) return String(one.id) === piece;
        const words = [...group, ...license].flatMap((said) => said.split(/[^\p{L}\p{N}]+/u));
        return (
          says([one.foldedName, one.foldedEmail]) ||
          (whole === undefined && (String(one.id) === piece || (piece.length > 2 && words.includes(piece))))
        );
      }),
    )
  );
}

const FACETS: Record<FilterKey, (one: DirectoryRow) => readonly string[]> = {
  status: ({ isActive, isLocked }) => [isActive ? 'active' : 'inactive', ...(isLocked ? ['locked'] : [])],
  license: ({ licenseTypeId }) => (licenseTypeId === undefined ? [] : [String(licenseTypeId)]),
  group: ({ groups }) => groups.map(String),
  twoFactor: ({ twoFactor }) => [twoFactor ? 'on' : 'off'],
  addresses: ({ approvedAddresses }) => [approvedAddresses ? 'on' : 'off'],
  changed: ({ modifiedAt }) => VALUES.changed.filter((days) => modifiedAt >= NOW - Number(days) * DAY),
};
const passes = (one: DirectoryRow, key: FilterKey, wanted: Filters) =>
  wanted[key].length === 0 || FACETS[key](one).some((value) => wanted[key].includes(value));

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const number = (value: boolean) => (value ? 1 : 0);
const COMPARE: Record<DirectoryQuery['sort']['by'], (a: DirectoryRow, b: DirectoryRow) => number> = {
  name: (a, b) => collator.compare(a.name.trim(), b.name.trim()),
  email: (a, b) => collator.compare(spaced(a.email), spaced(b.email)),
  status: (a, b) => number(b.isActive) - number(a.isActive) || number(a.isLocked) - number(b.isLocked),
  license: (a, b) => (a.licenseTypeId ?? 9) - (b.licenseTypeId ?? 9),
  groups: (a, b) => a.groups.length - b.groups.length,
  access: (a, b) =>
    number(a.twoFactor) - number(b.twoFactor) || number(a.approvedAddresses) - number(b.approvedAddresses),
  modified: (a, b) => a.modifiedAt - b.modifiedAt,
  created: (a, b) => Date.parse(a.created) - Date.parse(b.created),
  id: (a, b) => a.id - b.id,
};
const spaced = (email: string) => email.replaceAll(/[.@]/g, ' ');

function search(rows: readonly DirectoryRow[], { q, filters: wanted, sort }: DirectoryQuery) {
  const said = rows.filter((one) => matches(one, q));
  const counts: Counts = { status: {}, license: {}, group: {}, twoFactor: {}, addresses: {}, changed: {} };
  for (const key of FILTER_KEYS)
    for (const one of said.filter((other) => FILTER_KEYS.every((o) => o === key || passes(other, o, wanted))))
      for (const value of FACETS[key](one)) counts[key][value] = (counts[key][value] ?? 0) + 1;
  const turn = sort.descending ? -1 : 1;
  const ids = said
    .filter((one) => FILTER_KEYS.every((key) => passes(one, key, wanted)))
    .toSorted((a, b) => turn * COMPARE[sort.by](a, b) || COMPARE.name(a, b) || a.id - b.id)
    .map(({ id }) => id);
  return { ids, counts };
}

const answer = (index: ReturnType<typeof createIndex>, asked: DirectoryQuery) => {
  const { ids, counts } = index.search(asked, NOW);
  return { ids: Array.from(ids), counts };
};
const byId = (rows: readonly DirectoryRow[]) => [...new Map(rows.map((one) => [one.id, one])).values()];

/** Changes to an index, one after the other. */
const steps = fc.array(
  fc.oneof(
    fc.record({ upsert: fc.array(row, { maxLength: 12 }) }),
    fc.record({ remove: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }) }),
    fc.record({ ask: query }),
  ),
  { maxLength: 10 },
);

test('a search finds, orders and counts as a plain one would', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 40 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      (rows, queries) => {
        const index = createIndex();
        index.setGroups(GROUPS);
        index.upsert(rows);
        for (const asked of queries) expect(answer(index, asked)).toEqual(search(byId(rows), asked));
      },
    ),
    { numRuns: 600 },
  );
});

test('a search typed letter by letter finds the same as one typed at once', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 20, maxLength: 40 }), query, (rows, asked) => {
      const index = createIndex();
      index.setGroups(GROUPS);
      index.upsert(rows);
      for (let length = 0; length <= asked.q.length; length += 1) {
        const sofar = { ...asked, q: asked.q.slice(0, length) };
        const fresh = createIndex();
        fresh.setGroups(GROUPS);
        fresh.upsert(rows);
        expect(answer(index, sofar)).toEqual(answer(fresh, sofar));
      }
    }),
    { numRuns: 100 },
  );
});

test('after any changes the index answers as one that was made of what is left', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 20, maxLength: 40 }), steps, query, (rows, changes, asked) => {
      const index = createIndex();
      index.setGroups(GROUPS);
      index.upsert(rows);
      const left = new Map(rows.map((one) => [one.id, one]));
      for (const change of changes) {
        if ('upsert' in change) {
          index.upsert(change.upsert);
          for (const one of change.upsert) left.set(one.id, one);
        } else if ('remove' in change) {
          index.remove(change.remove);
          for (const id of change.remove) left.delete(id);
        } else index.search(change.ask, NOW);
      }
      expect(answer(index, asked)).toEqual(search([...left.values()], asked));
      expect(index.size).toBe(left.size);
      const ids = [...left.keys()].toSorted((a, b) => a - b);
      expect(Array.from(index.ids())).toEqual(ids);
      expect(index.rowsOf(ids)).toEqual(ids.map((id) => left.get(id)));
    }),
    { numRuns: 600 },
  );
});
