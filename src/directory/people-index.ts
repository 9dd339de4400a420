import { lookupIn } from './engine/lookup.ts';
import { Matcher } from './engine/matcher.ts';
import { People } from './engine/people.ts';
import { Sorting } from './engine/sorting.ts';
import { filterAndCount } from './engine/tally.ts';
import type { Counts } from './facets.ts';
import { resolvePasted } from './paste.ts';
import type { Resolved } from './paste.ts';
import type { DirectoryRow } from './row.ts';
import type { DirectoryQuery } from './search.ts';

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
