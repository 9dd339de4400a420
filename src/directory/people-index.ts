import { Matcher } from './engine/matcher.ts';
import { People, ACTIVE, ADDRESSES, licenseOf, LOCKED, TWO_FACTOR } from './engine/people.ts';
import { Sorting } from './engine/sorting.ts';
import type { Counts, FilterKey, Filters } from './facets.ts';
import { resolvePasted } from './paste.ts';
import type { Resolved, Lookup } from './paste.ts';
import type { DirectoryRow } from './row.ts';
import type { DirectoryQuery } from './search.ts';
import { fold } from '../lib/fold.ts';
import { familyKey, givenKey, nameKey } from './paste/words.ts';
import { FILTER_KEYS } from './facets.ts';

/** The people of the site, ready to be searched at each keystroke. */
export interface PeopleIndex {
  readonly size: number;
  /** How many licenses are billed (spec 2.2). */
  readonly billable: number;
  upsert(rows: readonly DirectoryRow[]): void;
  remove(ids: Iterable<number>): void;
  /** The names under which groups are found. */
  setGroups(groups: readonly { id: number; name: string }[]): void;
  /** Everybody who matches, in order, and how many each value of each filter would show; `ids` is the caller's own. */
  search(query: DirectoryQuery, now?: number): { ids: Int32Array; counts: Counts };
  /** In the order asked; unknown ids are left out. */
  rowsOf(ids: Iterable<number>): DirectoryRow[];
  /** Whom a pasted text means. */
  resolve(text: string): Resolved;
  /** Of everybody, in ascending order. */
  ids(): Int32Array;
}

/** An empty index. Pure: it knows neither the service nor the page. */
export function createIndex(): PeopleIndex {
  const people = new People();
  const sorting = new Sorting(people);
  const matcher = new Matcher(people);
  let version = 0;

  const idsOf = (slots: Int32Array) => slots.map((slot) => people.ids[slot] ?? 0);
  const put = (row: DirectoryRow) => {
    const before = people.slotOf(row.id);
    const isSame =
      before !== undefined &&
      people.firstName.get(before) === row.firstName &&
      people.lastName.get(before) === row.lastName &&
      people.email.get(before) === row.email;
    sorting.note(people.put(row), !isSame);
  };

  return {
    get size() {
      return people.size;
    },
    get billable() {
      return people.billable();
    },
    upsert(rows) {
      for (const row of rows) put(row);
      people.pack();
      version += 1;
    },
    remove(ids) {
      for (const id of ids) {
        const slot = people.drop(id);
        if (slot !== undefined) sorting.note(slot, true);
      }
      version += 1;
    },
    setGroups: (groups) => matcher.setGroups(groups),
    search({ q, filters, sort }, now = Date.now()) {
      const { kept, counts } = filterAndCount(people, matcher.find(q, version), filters, now);
      return { ids: idsOf(sorting.sort(kept, sort)), counts };
    },
    rowsOf: (ids) =>
      Array.from(ids).flatMap((id) => {
        const slot = people.slotOf(id);
        return slot === undefined ? [] : people.row(slot);
      }),
    resolve: (text) => resolvePasted(text, lookupIn(people)),
    ids: () => idsOf(people.slots()).toSorted(),
  };
}

/** Looks up ids, names and addresses for a pasted text. */
function lookupIn(people: People): Lookup {
  const { foldedEmail, foldedName, ids } = people;
  let firstWords: Set<string> | undefined;
  const readFirstWords = () => {
    const words = new Set<string>();
    for (const slot of people.slots()) words.add(firstWordOf(nameKey(foldedName.get(slot))));
    return words;
  };
  return {
    hasId: (id) => people.slotOf(id) !== undefined,
    begins(word) {
      firstWords ??= readFirstWords();
      return firstWords.has(word);
    },
    find(keys) {
      const found = new Map<string, number[]>();
      const note = (key: string, slot: number) => {
        if (!keys.has(key)) return;
        const known = found.get(key);
        if (known) known.push(ids[slot] ?? 0);
        else found.set(key, [ids[slot] ?? 0]);
      };
      const alone = wordsAlone(keys);
      for (const slot of people.slots()) {
        const name = nameKey(foldedName.get(slot));
        note(foldedEmail.get(slot), slot);
        note(name, slot);
        // Which part is the family name takes folding again: only for those who have the word at all.
        if (alone.size > 0 && name.split(' ').some((word) => alone.has(word)))
          for (const key of partsOf(people, slot)) note(key, slot);
      }
      return found;
    },
  };
}

const firstWordOf = (words: string): string => words.split(' ', 1)[0] ?? '';

/** The words with which names that stand alone begin. */
function wordsAlone(keys: ReadonlySet<string>): Set<string> {
  const words = new Set<string>();
  for (const key of keys) {
    const [, name] = key.split('\n');
    if (name !== undefined) words.add(firstWordOf(name));
  }
  return words;
}

/** Under what somebody is found by one of their names alone: the whole given name, its first word, the family name. */
function partsOf({ firstName, lastName }: People, slot: number): Set<string> {
  const given = nameKey(fold(firstName.get(slot)));
  const family = nameKey(fold(lastName.get(slot)));
  return new Set([givenKey(given), givenKey(firstWordOf(given)), familyKey(family)]);
}

const DAY = 86_400_000;
const AGES = [90, 30, 7, 1];
const TRAITS = 256;

const bitOf = (key: FilterKey): number => 1 << FILTER_KEYS.indexOf(key);
const GROUP = bitOf('group');
const CHANGED = bitOf('changed');

/** The values that somebody has under the filters that one byte tells; "locked" comes on top of the status. */
const VALUES = {
  status: (traits: number) => [
    (traits & ACTIVE) > 0 ? 'active' : 'inactive',
    ...((traits & LOCKED) > 0 ? ['locked'] : []),
  ],
  license: (traits: number) => (licenseOf(traits) === 0 ? [] : [String(licenseOf(traits))]),
  twoFactor: (traits: number) => [(traits & TWO_FACTOR) > 0 ? 'on' : 'off'],
  addresses: (traits: number) => [(traits & ADDRESSES) > 0 ? 'on' : 'off'],
};
const TOLD_BY_TRAITS = ['status', 'license', 'twoFactor', 'addresses'] as const;

/** For each byte: the filters that it does not pass, as bits. */
function missesByTraits(filters: Filters): Uint8Array {
  const misses = new Uint8Array(TRAITS);
  for (const key of TOLD_BY_TRAITS) {
    const wanted = filters[key];
    if (wanted.length === 0) continue;
    for (let traits = 0; traits < TRAITS; traits += 1)
      if (!VALUES[key](traits).some((value) => wanted.includes(value)))
        misses[traits] = (misses[traits] ?? 0) | bitOf(key);
  }
  return misses;
}

/** How many of the ages in `AGES` a moment is within: a change of yesterday is one of the last 7 days too. */
function agesWithin(time: number, limits: Float64Array): number {
  let within = 0;
  while (within < limits.length && time >= (limits[within] ?? 0)) within += 1;
  return within;
}
const valuesOfAge = (within: number): string[] => AGES.slice(0, within).map(String);

/**
 * Filters and counts in one walk. Somebody who misses one filter alone still counts for the values of that one,
 * which tell what choosing them would show.
 */
function filterAndCount(
  people: People,
  slots: Int32Array<ArrayBuffer>,
  filters: Filters,
  now: number,
): { kept: Int32Array<ArrayBuffer>; counts: Counts } {
  const { traits, groups } = people;
  const { times } = people.modified;
  const limits = Float64Array.from(AGES, (days) => now - days * DAY);
  const misses = missesByTraits(filters);
  const wantedGroups = new Set(filters.group.map(Number));
  const inGroups = Uint8Array.from(groups.ids, (id) => (wantedGroups.has(id) ? 1 : 0));
  const missesByAge = Uint8Array.from({ length: AGES.length + 1 }, (_, within) =>
    filters.changed.length === 0 || valuesOfAge(within).some((value) => filters.changed.includes(value))
      ? 0
      : CHANGED,
  );
  const byTraits = new Int32Array((1 << FILTER_KEYS.length) * TRAITS);
  const byGroup = new Int32Array(groups.ids.length);
  const byAge = new Int32Array(AGES.length + 1);
  const kept = new Int32Array(slots.length);
  let count = 0;
  for (const slot of slots) {
    const own = traits[slot] ?? 0;
    const within = agesWithin(times[slot] ?? 0, limits);
    let missed = (misses[own] ?? 0) | (missesByAge[within] ?? 0);
    if (wantedGroups.size > 0 && !groups.isInAny(slot, inGroups)) missed |= GROUP;
    if ((missed & (missed - 1)) !== 0) continue;
    if (missed === 0) kept[count++] = slot;
    byTraits[missed * TRAITS + own] = (byTraits[missed * TRAITS + own] ?? 0) + 1;
    if (missed === 0 || missed === GROUP) groups.tally(slot, byGroup);
    if (missed === 0 || missed === CHANGED) byAge[within] = (byAge[within] ?? 0) + 1;
  }
  const counts: Counts = { status: {}, license: {}, group: {}, twoFactor: {}, addresses: {}, changed: {} };
  for (const key of TOLD_BY_TRAITS)
    for (let own = 0; own < TRAITS; own += 1)
      add(counts[key], VALUES[key](own), (byTraits[own] ?? 0) + (byTraits[bitOf(key) * TRAITS + own] ?? 0));
  for (const [number, id] of groups.ids.entries()) add(counts.group, [String(id)], byGroup[number] ?? 0);
  for (const [within, changed] of byAge.entries()) add(counts.changed, valuesOfAge(within), changed);
  return { kept: kept.slice(0, count), counts };
}

function add(tally: Record<string, number>, values: readonly string[], count: number): void {
  if (count > 0) for (const value of values) tally[value] = (tally[value] ?? 0) + count;
}
