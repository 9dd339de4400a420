import type { Db } from '../../kernel/db/database.ts';
import { type Ids, joined } from './id-list.ts';
import { followedBy, orderKey } from './order.store.ts';
import { pastBounds, refuse, shownNumber } from './past-compare.ts';
import { givenAlong, listedIds, type ListOf, pageIds } from './past-ids.store.ts';
import { type Comparison, rememberList } from './past-known.ts';
import type { PastWanted } from './past-values.store.ts';
import type { Window } from './matching.store.ts';

/** The ids of a page: read by itself where that takes few ids along, else cut from the whole list. */
export async function idsOn(
  tx: Db,
  wanted: PastWanted,
  comparison: Comparison,
  list: ListOf,
  window: Window,
): Promise<Ids> {
  if (givenAlong(wanted, list) <= pastBounds.few) return pageIds(tx, wanted, list, window);
  const ids = await wholeList(tx, wanted, comparison, list);
  return ids.slice(window.skip, window.skip + window.limit);
}

async function wholeList(tx: Db, wanted: PastWanted, comparison: Comparison, list: ListOf): Promise<Ids> {
  const { part, was, is, unchangedBut } = list;
  // Known ids stand in their order already.
  if (!wanted.order && !unchangedBut) return joined([was, is]);
  const order = wanted.order ? JSON.stringify(orderKey(wanted.order)) : '';
  const known = comparison.lists.find((each) => each.part === part && each.order === order);
  if (known) return known.ids;
  const { few, listed: most } = pastBounds;
  const ids = await listedIds(tx, wanted, list, most + 1);
  if (ids.length > most)
    refuse(
      `more than ${shownNumber(few)} entries have changed since then, and more than ${shownNumber(most)} are asked for; ` +
        'ask for a later moment or by a narrower filter',
    );
  const isByNames = wanted.order !== undefined && followedBy(wanted.order) !== 'type';
  rememberList(comparison, { part, order, isByNames, ids });
  return ids;
}
