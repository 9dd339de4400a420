import type { Counts } from './facets.ts';
import { resolvePasted } from './paste.ts';
import type { Resolved } from './paste.ts';
import { isBillable } from './row.ts';
import type { DirectoryRow } from './row.ts';
import { searchDirectory } from './search.ts';
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
  /** Everybody who matches, in order, and how many each value of each filter would show. */
  search(query: DirectoryQuery, now?: number): { ids: Int32Array; counts: Counts };
  /** In the order asked; unknown ids are left out. */
  rowsOf(ids: Iterable<number>): DirectoryRow[];
  resolve(text: string): Resolved;
  /** Of everybody, in ascending order. */
  ids(): Int32Array;
}

export function createIndex(): PeopleIndex {
  const people = new Map<number, DirectoryRow>();
  let all: readonly DirectoryRow[] = [];
  const renew = () => {
    all = [...people.values()];
  };
  return {
    get size() {
      return people.size;
    },
    get billable() {
      return all.filter(isBillable).length;
    },
    upsert(rows) {
      for (const row of rows) people.set(row.id, row);
      renew();
    },
    remove(ids) {
      for (const id of ids) people.delete(id);
      renew();
    },
    setGroups: () => undefined,
    search(query, now) {
      const { rows, counts } = searchDirectory(all, query, now);
      return { ids: Int32Array.from(rows, ({ id }) => id), counts };
    },
    rowsOf: (ids) => Array.from(ids).flatMap((id) => people.get(id) ?? []),
    resolve: (text) => resolvePasted(text, people.values()),
    ids: () => Int32Array.from(people.keys()).toSorted(),
  };
}
