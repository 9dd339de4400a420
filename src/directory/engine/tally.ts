import { FILTER_KEYS } from '../facets.ts';
import type { Counts, FilterKey, Filters } from '../facets.ts';
import { ACTIVE, ADDRESSES, licenseOf, LOCKED, TWO_FACTOR } from './people.ts';
import type { People } from './people.ts';

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
export function filterAndCount(
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
