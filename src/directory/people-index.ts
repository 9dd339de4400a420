import { foldText } from '../lib/fold-text.ts';
import type { FacetCounts, FilterKey, Filters } from './engine/facets.ts';
import { FILTER_KEYS } from './engine/facets.ts';
import { Matcher } from './engine/matcher.ts';
import { People, ACTIVE, ADDRESSES, getLicense, LOCKED, TWO_FACTOR } from './engine/people.ts';
import type { DirectoryRow } from './engine/row.ts';
import type { DirectoryQuery } from './engine/search.ts';
import { Sorting } from './engine/sorting.ts';
import { resolvePasted } from './paste/resolve-pasted.ts';
import type { ResolvedPaste, Lookup } from './paste/resolve-pasted.ts';
import { toFamilyNameKey, toGivenNameKey, toNameKey } from './paste/words.ts';

/** Index of the users of the site, fast enough for a search at each keystroke. */
export interface PeopleIndex {
  readonly size: number;
  /** Number of billable licenses (spec 2.2). */
  readonly billable: number;
  upsert(rows: readonly DirectoryRow[]): void;
  remove(ids: Iterable<number>): void;
  /** Sets the group names that searches match. */
  setGroups(groups: readonly { id: number; name: string }[]): void;
  /** Returns the ids of all matches in order and the facet counts; the caller owns `ids`. */
  search(query: DirectoryQuery, now?: number): { ids: Int32Array; counts: FacetCounts };
  /** Returns rows in the order of the ids; unknown ids are omitted. */
  getRows(ids: Iterable<number>): DirectoryRow[];
  /** Resolves the users named in a pasted text. */
  resolvePastedText(text: string): ResolvedPaste;
  /** Returns all ids in ascending order. */
  getIds(): Int32Array;
}

/** Creates an empty index. Pure: it depends neither on the service nor on the page. */
export function createPeopleIndex(): PeopleIndex {
  const people = new People();
  const sorting = new Sorting(people);
  const matcher = new Matcher(people);
  let version = 0;

  const toIds = (slots: Int32Array) => slots.map((slot) => people.ids[slot] ?? 0);
  const put = (row: DirectoryRow) => {
    const previousSlot = people.getSlot(row.id);
    const isSame =
      previousSlot !== undefined &&
      people.firstName.get(previousSlot) === row.firstName &&
      people.lastName.get(previousSlot) === row.lastName &&
      people.email.get(previousSlot) === row.email;
    sorting.invalidateSlot(people.put(row), !isSame);
  };

  return {
    get size() {
      return people.size;
    },
    get billable() {
      return people.countBillable();
    },
    upsert(rows) {
      for (const row of rows) put(row);
      people.pack();
      version += 1;
    },
    remove(ids) {
      for (const id of ids) {
        const slot = people.remove(id);
        if (slot !== undefined) sorting.invalidateSlot(slot, true);
      }
      version += 1;
    },
    setGroups: (groups) => matcher.setGroups(groups),
    search({ q, filters, sort }, now = Date.now()) {
      const { matchingSlots, counts } = filterAndCount(people, matcher.find(q, version), filters, now);
      return { ids: toIds(sorting.sort(matchingSlots, sort)), counts };
    },
    getRows: (ids) =>
      Array.from(ids).flatMap((id) => {
        const slot = people.getSlot(id);
        return slot === undefined ? [] : people.getRow(slot);
      }),
    resolvePastedText: (text) => resolvePasted(text, createLookup(people)),
    getIds: () => toIds(people.slots()).toSorted(),
  };
}

/** Creates the lookup of ids, names and addresses for pasted texts. */
function createLookup(people: People): Lookup {
  const { foldedEmail, foldedName, ids } = people;
  let firstWords: Set<string> | undefined;
  const readFirstWords = () => {
    const words = new Set<string>();
    for (const slot of people.slots()) words.add(getFirstWord(toNameKey(foldedName.get(slot))));
    return words;
  };
  return {
    hasId: (id) => people.getSlot(id) !== undefined,
    hasNameStartingWith(word) {
      firstWords ??= readFirstWords();
      return firstWords.has(word);
    },
    find(keys) {
      const matches = new Map<string, number[]>();
      const addMatch = (key: string, slot: number) => {
        if (!keys.has(key)) return;
        const slots = matches.get(key);
        if (slots) slots.push(ids[slot] ?? 0);
        else matches.set(key, [ids[slot] ?? 0]);
      };
      const firstWordsOfSingleNames = getSingleNameWords(keys);
      for (const slot of people.slots()) {
        const name = toNameKey(foldedName.get(slot));
        addMatch(foldedEmail.get(slot), slot);
        addMatch(name, slot);
        // Given and family names must be folded separately; done only for users whose name contains the word.
        if (
          firstWordsOfSingleNames.size > 0 &&
          name.split(' ').some((word) => firstWordsOfSingleNames.has(word))
        )
          for (const key of getSingleNameKeys(people, slot)) addMatch(key, slot);
      }
      return matches;
    },
  };
}

const getFirstWord = (words: string): string => words.split(' ', 1)[0] ?? '';

/** Returns the first words of the given and family names among the keys. */
function getSingleNameWords(keys: ReadonlySet<string>): Set<string> {
  const words = new Set<string>();
  for (const key of keys) {
    const [, name] = key.split('\n');
    if (name !== undefined) words.add(getFirstWord(name));
  }
  return words;
}

/** Returns the keys of a user's single names: the given name, its first word, the family name. */
function getSingleNameKeys({ firstName, lastName }: People, slot: number): Set<string> {
  const given = toNameKey(foldText(firstName.get(slot)));
  const family = toNameKey(foldText(lastName.get(slot)));
  return new Set([toGivenNameKey(given), toGivenNameKey(getFirstWord(given)), toFamilyNameKey(family)]);
}

const DAY_MS = 86_400_000;
const AGES_IN_DAYS = [90, 30, 7, 1];
const TRAIT_BYTES = 256;

const getFilterBit = (key: FilterKey): number => 1 << FILTER_KEYS.indexOf(key);
const GROUP_BIT = getFilterBit('group');
const CHANGED_BIT = getFilterBit('changed');

/** Values of the filters that depend only on the trait byte; "locked" is an additional status. */
const TRAIT_VALUES = {
  status: (traits: number) => [
    (traits & ACTIVE) > 0 ? 'active' : 'inactive',
    ...((traits & LOCKED) > 0 ? ['locked'] : []),
  ],
  license: (traits: number) => (getLicense(traits) === 0 ? [] : [String(getLicense(traits))]),
  twoFactor: (traits: number) => [(traits & TWO_FACTOR) > 0 ? 'on' : 'off'],
  addresses: (traits: number) => [(traits & ADDRESSES) > 0 ? 'on' : 'off'],
};
const TRAIT_FILTERS = ['status', 'license', 'twoFactor', 'addresses'] as const;

/** Returns for each trait byte the filters it does not pass, as bits. */
function getMissesByTraits(filters: Filters): Uint8Array {
  const misses = new Uint8Array(TRAIT_BYTES);
  for (const key of TRAIT_FILTERS) {
    const selected = filters[key];
    if (selected.length === 0) continue;
    for (let traits = 0; traits < TRAIT_BYTES; traits += 1)
      if (!TRAIT_VALUES[key](traits).some((value) => selected.includes(value)))
        misses[traits] = (misses[traits] ?? 0) | getFilterBit(key);
  }
  return misses;
}

/** Counts the ages of `AGES_IN_DAYS` that contain a timestamp: a change of yesterday is also one of the last 7 days. */
function countAgesWithin(time: number, limits: Float64Array): number {
  let within = 0;
  while (within < limits.length && time >= (limits[within] ?? 0)) within += 1;
  return within;
}
const getAgeValues = (within: number): string[] => AGES_IN_DAYS.slice(0, within).map(String);

/**
 * Filters and counts in one pass. A user who fails exactly one filter still counts for the values of that filter, because
 * the counts show what choosing a value would add.
 */
function filterAndCount(
  people: People,
  slots: Int32Array<ArrayBuffer>,
  filters: Filters,
  now: number,
): { matchingSlots: Int32Array<ArrayBuffer>; counts: FacetCounts } {
  const { traits, groups } = people;
  const { times } = people.modified;
  const limits = Float64Array.from(AGES_IN_DAYS, (days) => now - days * DAY_MS);
  const misses = getMissesByTraits(filters);
  const wantedGroups = new Set(filters.group.map(Number));
  const inGroups = Uint8Array.from(groups.ids, (id) => (wantedGroups.has(id) ? 1 : 0));
  const missesByAge = Uint8Array.from({ length: AGES_IN_DAYS.length + 1 }, (_, within) =>
    filters.changed.length === 0 || getAgeValues(within).some((value) => filters.changed.includes(value))
      ? 0
      : CHANGED_BIT,
  );
  const byTraits = new Int32Array((1 << FILTER_KEYS.length) * TRAIT_BYTES);
  const byGroup = new Int32Array(groups.ids.length);
  const byAge = new Int32Array(AGES_IN_DAYS.length + 1);
  const matchingSlots = new Int32Array(slots.length);
  let count = 0;
  for (const slot of slots) {
    const slotTraits = traits[slot] ?? 0;
    const within = countAgesWithin(times[slot] ?? 0, limits);
    let missed = (misses[slotTraits] ?? 0) | (missesByAge[within] ?? 0);
    if (wantedGroups.size > 0 && !groups.isInAny(slot, inGroups)) missed |= GROUP_BIT;
    if ((missed & (missed - 1)) !== 0) continue;
    if (missed === 0) matchingSlots[count++] = slot;
    byTraits[missed * TRAIT_BYTES + slotTraits] = (byTraits[missed * TRAIT_BYTES + slotTraits] ?? 0) + 1;
    if (missed === 0 || missed === GROUP_BIT) groups.tally(slot, byGroup);
    if (missed === 0 || missed === CHANGED_BIT) byAge[within] = (byAge[within] ?? 0) + 1;
  }
  const counts: FacetCounts = {
    status: {},
    license: {},
    group: {},
    twoFactor: {},
    addresses: {},
    changed: {},
  };
  for (const key of TRAIT_FILTERS)
    for (let traitByte = 0; traitByte < TRAIT_BYTES; traitByte += 1)
      addCounts(
        counts[key],
        TRAIT_VALUES[key](traitByte),
        (byTraits[traitByte] ?? 0) + (byTraits[getFilterBit(key) * TRAIT_BYTES + traitByte] ?? 0),
      );
  for (const [number, id] of groups.ids.entries())
    addCounts(counts.group, [String(id)], byGroup[number] ?? 0);
  for (const [within, changed] of byAge.entries()) addCounts(counts.changed, getAgeValues(within), changed);
  return { matchingSlots: matchingSlots.slice(0, count), counts };
}

function addCounts(tally: Record<string, number>, values: readonly string[], count: number): void {
  if (count > 0) for (const value of values) tally[value] = (tally[value] ?? 0) + count;
}
