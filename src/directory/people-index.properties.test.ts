import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from '../../contract/rules/fold-text.ts';
import { licenseTypes } from '../../contract/rules/people/licenses.ts';
import { FILTER_KEYS } from './engine/directory-query.ts';
import type { FacetCounts, FilterKey, Filters } from './engine/directory-query.ts';
import { SORT_KEYS } from './engine/directory-query.ts';
import type { DirectoryQuery } from './engine/directory-query.ts';
import { toRow } from './engine/row.ts';
import type { DirectoryRow } from './engine/row.ts';
import { createPeopleIndex } from './people-index.ts';

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
  timeZone: fc.constantFrom(null, 'Europe/Lisbon', 'America/St_Johns'),
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
  group: GROUPS.filter(({ id }) => groups.includes(id)).map((group) => foldText(group.name)),
  license: licenseTypes
    .filter((one) => one.licenseTypeId === licenseTypeId)
    .map((one) => foldText(one.description)),
});

/** Reference implementation of the search for one user. */
function matches(one: DirectoryRow, text: string): boolean {
  const terms = foldText(text)
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
        const includesText = (texts: readonly string[]) =>
          texts.some((each) => (whole === undefined ? each.includes(piece) : each === whole));
        const { group, license } = namesOf(one);
        if (mode === 'id') return String(one.id) === piece;
        if (mode === 'email') return includesText([one.foldedEmail]);
        if (mode === 'group') return includesText(group);
        if (mode === 'license') return includesText(license);
        if (isList && term.length === 1 && /^\d+$/.test(piece)) return String(one.id) === piece;
        const words = [...group, ...license].flatMap((each) => each.split(/[^\p{L}\p{N}]+/u));
        return (
          includesText([one.foldedName, one.foldedEmail]) ||
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
const passes = (one: DirectoryRow, key: FilterKey, selectedFilters: Filters) =>
  selectedFilters[key].length === 0 || FACETS[key](one).some((value) => selectedFilters[key].includes(value));

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

function search(rows: readonly DirectoryRow[], { q, filters: selectedFilters, sort }: DirectoryQuery) {
  const matchingRows = rows.filter((one) => matches(one, q));
  const counts: FacetCounts = {
    status: {},
    license: {},
    group: {},
    twoFactor: {},
    addresses: {},
    changed: {},
  };
  for (const key of FILTER_KEYS)
    for (const one of matchingRows.filter((other) =>
      FILTER_KEYS.every((o) => o === key || passes(other, o, selectedFilters)),
    ))
      for (const value of FACETS[key](one)) counts[key][value] = (counts[key][value] ?? 0) + 1;
  const sign = sort.descending ? -1 : 1;
  const ids = matchingRows
    .filter((one) => FILTER_KEYS.every((key) => passes(one, key, selectedFilters)))
    .toSorted((a, b) => sign * COMPARE[sort.by](a, b) || COMPARE.name(a, b) || a.id - b.id)
    .map(({ id }) => id);
  return { ids, counts };
}

const answer = (index: ReturnType<typeof createPeopleIndex>, directoryQuery: DirectoryQuery) => {
  const { ids, counts } = index.search(directoryQuery, NOW);
  return { ids: Array.from(ids), counts };
};
const byId = (rows: readonly DirectoryRow[]) => [...new Map(rows.map((one) => [one.id, one])).values()];

/** Sequences of changes to an index. */
const steps = fc.array(
  fc.oneof(
    fc.record({ upsert: fc.array(row, { maxLength: 12 }) }),
    fc.record({ remove: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }) }),
    fc.record({ ask: query }),
  ),
  { maxLength: 10 },
);

test('a search matches, sorts and counts like the reference implementation', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 40 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      (rows, queries) => {
        const index = createPeopleIndex();
        index.setGroups(GROUPS);
        index.upsert(rows);
        for (const directoryQuery of queries)
          expect(answer(index, directoryQuery)).toEqual(search(byId(rows), directoryQuery));
      },
    ),
    { numRuns: 600 },
  );
});

test('a query typed letter by letter finds the same as one entered at once', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 20, maxLength: 40 }), query, (rows, directoryQuery) => {
      const index = createPeopleIndex();
      index.setGroups(GROUPS);
      index.upsert(rows);
      for (let length = 0; length <= directoryQuery.q.length; length += 1) {
        const prefixQuery = { ...directoryQuery, q: directoryQuery.q.slice(0, length) };
        const newIndex = createPeopleIndex();
        newIndex.setGroups(GROUPS);
        newIndex.upsert(rows);
        expect(answer(index, prefixQuery)).toEqual(answer(newIndex, prefixQuery));
      }
    }),
    { numRuns: 100 },
  );
});

test('after any changes the index answers like a new one of the remaining users', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 20, maxLength: 40 }),
      steps,
      query,
      (rows, changes, directoryQuery) => {
        const index = createPeopleIndex();
        index.setGroups(GROUPS);
        index.upsert(rows);
        const remaining = new Map(rows.map((one) => [one.id, one]));
        for (const change of changes) {
          if ('upsert' in change) {
            index.upsert(change.upsert);
            for (const one of change.upsert) remaining.set(one.id, one);
          } else if ('remove' in change) {
            index.remove(change.remove);
            for (const id of change.remove) remaining.delete(id);
          } else index.search(change.ask, NOW);
        }
        expect(answer(index, directoryQuery)).toEqual(search([...remaining.values()], directoryQuery));
        expect(index.size).toBe(remaining.size);
        const ids = [...remaining.keys()].toSorted((a, b) => a - b);
        expect(Array.from(index.getIds())).toEqual(ids);
        expect(index.getRows(ids)).toEqual(ids.map((id) => remaining.get(id)));
      },
    ),
    { numRuns: 600 },
  );
});
