import type { PastState } from '../../../../contract/generated/types.gen.ts';
import { hasId, type Ids, idsIn, joined } from '../query/id-list.ts';

/** Entries that have changed, by what that did to the answer. */
export interface Sides extends Record<PastState, Ids> {
  all: Ids;
  /** Those that matched then. */
  was: Ids;
}

/** What was found of entries that have changed. */
export interface Compared {
  all: Ids;
  was: Ids;
  /** Of those that were there, whose shown fields are different today. */
  differ: Ids;
  /** Those that match today. */
  is: Ids;
}

export const sidesOf = ({ all, was, differ, is }: Compared): Sides => ({
  all,
  was,
  added: idsIn(is, was, false),
  removed: idsIn(was, is, false),
  changed: idsIn(differ, is, true),
});

/** The same with some entries compared anew. */
export function renewed(sides: Sides, fresh: Sides): Sides {
  const renew = (name: keyof Sides): Ids =>
    joined([idsIn(sides[name], fresh.all, false), fresh[name]]).toSorted();
  return {
    all: renew('all'),
    was: renew('was'),
    added: renew('added'),
    removed: renew('removed'),
    changed: renew('changed'),
  };
}

/** What became of an entry; undefined where nothing that is asked for did. */
export const stateIn = (sides: Sides, id: number): PastState | undefined =>
  (['added', 'removed', 'changed'] as const).find((state) => hasId(sides[state], id));
