import { foldText } from '../../contract/rules/fold-text.ts';
import { getAccountStatuses } from '../../contract/rules/people/account-status.ts';
import { splitEmailWords, splitNameWords } from './engine/collation.ts';
import type { FacetCounts, FilterKey, Filters } from './engine/directory-query.ts';
import { FILTER_KEYS } from './engine/directory-query.ts';
import type { DirectoryQuery, DirectorySort, SortKey } from './engine/directory-query.ts';
import { Matcher } from './engine/matcher.ts';
import { People, ACTIVE, ADDRESSES, getLicense, LOCKED, TWO_FACTOR } from './engine/people.ts';
import type { DirectoryRow } from './engine/row.ts';
import { TextOrder } from './engine/text-order.ts';
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

/** Values of the filters that depend only on the trait byte. */
const TRAIT_VALUES = {
  status: (traits: number): readonly string[] =>
    getAccountStatuses({ isActive: (traits & ACTIVE) > 0, isLocked: (traits & LOCKED) > 0 }),
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

/** Maximum cached orders of all users, so that sorting by a previous column is free. */
const MAX_CACHED_ORDERS = 4;
/** Below this share of all users, sorting the subset is cheaper than filtering the order of all. */
const MAX_SUBSET_SORT_SHARE = 1 / 8;
/** Maximum range of values relative to their number; sparser values are renumbered for the counting sort. */
const MAX_VALUE_SPREAD = 4;
const UNKNOWN_LICENSE_RANK = 9;

/** Readers of the sort value of a slot for columns other than texts. */
const VALUE_READERS: Record<
  Exclude<SortKey, 'name' | 'email'>,
  (people: People) => (slot: number) => number
> = {
  status:
    ({ traits }) =>
    (slot) =>
      (hasTrait(traits, slot, ACTIVE) ? 0 : 2) + (hasTrait(traits, slot, LOCKED) ? 1 : 0),
  license:
    ({ traits }) =>
    (slot) =>
      getLicense(traits[slot] ?? 0) || UNKNOWN_LICENSE_RANK,
  groups:
    ({ groups }) =>
    (slot) =>
      groups.getCount(slot),
  access:
    ({ traits }) =>
    (slot) =>
      (hasTrait(traits, slot, TWO_FACTOR) ? 2 : 0) + (hasTrait(traits, slot, ADDRESSES) ? 1 : 0),
  modified: ({ modified }) => createReader(modified.times),
  created: ({ created }) => createReader(created.times),
  id: ({ ids }) => createReader(ids),
};

/** Sorts by any column; equal values are sorted by name, then by id, in both directions. */
class Sorting {
  readonly #people: People;
  readonly #names: TextOrder;
  /** Created on the first sort by e-mail. */
  #emails: TextOrder | undefined;
  readonly #orders = new Map<string, Int32Array<ArrayBuffer>>();

  constructor(people: People) {
    this.#people = people;
    this.#names = new TextOrder(people, (slot) => splitNameWords(people.getName(slot)));
  }

  /** Must be called for each slot that was added, changed or freed. */
  invalidateSlot(slot: number, hasNewTexts: boolean): void {
    this.#orders.clear();
    if (!hasNewTexts) return;
    this.#names.invalidateSlot(slot);
    this.#emails?.invalidateSlot(slot);
  }

  sort(slots: Int32Array<ArrayBuffer>, sort: DirectorySort): Int32Array<ArrayBuffer> {
    if (slots.length < this.#people.size * MAX_SUBSET_SORT_SHARE)
      return this.#sortByValue(this.#sortByName(slots), sort);
    const order = this.#getFullOrder(sort);
    if (slots.length === order.length) return order;
    const marks = new Uint8Array(this.#people.slotCount);
    for (const slot of slots) marks[slot] = 1;
    return order.filter((slot) => marks[slot] === 1);
  }

  #getFullOrder(sort: DirectorySort): Int32Array<ArrayBuffer> {
    if (sort.by === 'name' && !sort.descending) return this.#names.order;
    const name = `${sort.by} ${sort.descending}`;
    const cached = this.#orders.get(name);
    if (cached) return cached;
    const [oldest] = this.#orders.keys();
    if (this.#orders.size >= MAX_CACHED_ORDERS && oldest !== undefined) this.#orders.delete(oldest);
    const order = this.#sortByValue(this.#names.order, sort);
    this.#orders.set(name, order);
    return order;
  }

  /** Stable counting sort of slots that are in name order. */
  #sortByValue(slots: Int32Array<ArrayBuffer>, { by, descending }: DirectorySort): Int32Array<ArrayBuffer> {
    const values = compactValues(slots, this.#getValueReader(by));
    const highest = Math.max(0, findHighest(values));
    if (descending) for (let at = 0; at < values.length; at += 1) values[at] = highest - (values[at] ?? 0);
    const ends = new Int32Array(highest + 2);
    for (const value of values) ends[value + 1] = (ends[value + 1] ?? 0) + 1;
    for (let value = 1; value < ends.length; value += 1)
      ends[value] = (ends[value] ?? 0) + (ends[value - 1] ?? 0);
    const sorted = new Int32Array(slots.length);
    for (let at = 0; at < slots.length; at += 1) {
      const value = values[at] ?? 0;
      const place = ends[value] ?? 0;
      sorted[place] = slots[at] ?? 0;
      ends[value] = place + 1;
    }
    return sorted;
  }

  #sortByName(slots: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    const { order, positions } = this.#names;
    return slots
      .map((slot) => positions[slot] ?? 0)
      .toSorted()
      .map((place) => order[place] ?? 0);
  }

  #getValueReader(by: SortKey): (slot: number) => number {
    if (by === 'name') return createReader(this.#names.keys);
    if (by === 'email') return createReader(this.#getEmailOrder().keys);
    return VALUE_READERS[by](this.#people);
  }

  #getEmailOrder(): TextOrder {
    const { email } = this.#people;
    this.#emails ??= new TextOrder(this.#people, (slot) => splitEmailWords(email.get(slot)));
    return this.#emails;
  }
}

function findHighest(values: Int32Array | Float64Array): number {
  let highest = -Infinity;
  for (const value of values) if (value > highest) highest = value;
  return highest;
}

function findLowest(values: Float64Array): number {
  let lowest = Infinity;
  for (const value of values) if (value < lowest) lowest = value;
  return lowest;
}

/** Maps the values of the slots to small numbers in the same order. */
function compactValues(slots: Int32Array, readValue: (slot: number) => number): Int32Array {
  const values = new Float64Array(slots.length);
  for (let at = 0; at < slots.length; at += 1) values[at] = readValue(slots[at] ?? 0);
  const lowest = findLowest(values);
  const compacted = new Int32Array(slots.length);
  const isCompact = findHighest(values) - lowest <= MAX_VALUE_SPREAD * slots.length;
  const distinct = isCompact ? values : values.toSorted().filter((value, at, all) => value !== all[at - 1]);
  for (let at = 0; at < slots.length; at += 1) {
    const value = values[at] ?? 0;
    compacted[at] = isCompact ? value - lowest : findPosition(value, distinct);
  }
  return compacted;
}

function findPosition(value: number, sorted: Float64Array): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const createReader =
  (numbers: Int32Array | Float64Array) =>
  (slot: number): number =>
    numbers[slot] ?? 0;

const hasTrait = (traits: Uint8Array, slot: number, trait: number): boolean =>
  ((traits[slot] ?? 0) & trait) > 0;
