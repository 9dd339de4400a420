import { parseQuery } from '../../../../contract/rules/query/text.ts';
import { readQuery } from '../../../../contract/rules/query/read.ts';
import type { PastDifference, PastState } from '../../../../contract/generated/types.gen.ts';
import { invalid } from '../../../kernel/http/errors.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { readMoment } from '../../../kernel/http/moments.ts';
import { type DateTimeBehavior, findField, type SchemaField, type Zones } from '../../schema/index.ts';
import { askedIn, conditionOr400, fieldsCalled, orderCalled, typeOf, zonesFor } from '../query/asking.ts';
import { hasId, type Ids, NO_IDS, joined } from '../query/id-list.ts';
import { comparisonOf, prepareComparison, pastBounds, refuse, shownNumber } from './past-compare.ts';
import { givenAlong, listedIds, pageIds, type ListOf } from './past-ids.store.ts';
import { rememberList, type Comparison } from './past-known.ts';
import { type Sides, stateIn } from './past-sides.ts';
import type { PastWanted } from './past-values.store.ts';
import { inOneState, type PastRow, pastRows } from './past.store.ts';
import { shownRows } from '../query/shown-dates.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { followedBy, orderKey } from '../query/order.store.ts';
import type { Window } from '../query/matching.store.ts';

type Row = PastDifference['today'] & object;

interface Part {
  only: PastState | undefined;
  withAdded: boolean;
}

function listOf(sides: Sides, { only, withAdded }: Part): ListOf {
  const none = { was: NO_IDS, is: NO_IDS, unchangedBut: undefined, without: NO_IDS, besides: NO_IDS };
  if (only === 'added') return { ...none, part: only, is: sides.added };
  if (only) return { ...none, part: only, was: sides[only] };
  const then = { was: sides.was, unchangedBut: sides.all, besides: sides.removed };
  return withAdded
    ? { ...none, ...then, part: 'withAdded', is: sides.added }
    : { ...none, ...then, part: 'then', without: sides.added };
}

function totalOf({ sides, matches }: Comparison, { only, withAdded }: Part): number {
  if (only !== undefined) return sides[only].length;
  return matches + sides.removed.length - (withAdded ? 0 : sides.added.length);
}

/** How a row of the answer is different today. */
function differenceOf(
  { entryId, isGone, mergedInto, differing }: PastRow,
  today: Row | undefined,
  state: PastState,
  fields: readonly SchemaField[],
): PastDifference {
  const ids = new Set(differing);
  const names = fields.filter(({ id }) => ids.has(id)).map(({ apiName }) => apiName);
  const held =
    today && Object.fromEntries(names.flatMap((name) => (name in today ? [[name, today[name]]] : [])));
  const cut = today?.$cut?.filter((name) => names.includes(name)) ?? [];
  return {
    entryId,
    state,
    ...(state === 'removed' && { isDeleted: isGone }),
    ...(mergedInto !== null && { mergedEntryId: mergedInto }),
    ...(today && {
      fields: names,
      today: { EntryId: entryId, ...held, ...(cut.length > 0 && { $cut: cut }) },
    }),
  };
}

interface Shown {
  fields: readonly SchemaField[];
  behavior: DateTimeBehavior;
  zones: Zones;
}

/** The rows in the zone that was asked for, and the differences of those that have changed. */
function answerOf(page: readonly PastRow[], sides: Sides, { fields, behavior, zones }: Shown) {
  const show = (texts: readonly string[]) => shownRows(texts, fields, behavior, zones);
  const rows = show(page.map(({ row }) => row));
  const differences = page.flatMap((each) => {
    const state = stateIn(sides, each.entryId);
    if (!state) return [];
    const [text] = each.today === null ? [] : show([each.today]);
    return differenceOf(each, text === undefined ? undefined : (JSON.parse(text) as Row), state, fields);
  });
  return { rows, differences };
}

const readPast = (text: string): Date => {
  const at = readMoment('asOf', text);
  if (at.getTime() > Date.now()) throw invalid([{ path: 'asOf', message: 'lies ahead' }]);
  return at;
};

/** Rows as a query would have found them at a moment, and how they differ from today. */
export async function rowsAsOf(call: Call<'queryRowsAsOf'>): Promise<{ status: 200; json: string }> {
  const { db, caller, params, body } = call;
  const { siteId } = caller;
  const behavior: DateTimeBehavior = body.dateTimeBehavior === 1 ? 1 : 0;
  const at = readPast(body.asOf);
  const type = await typeOf(db, siteId, params.entryTypeId);
  const find = (name: string) => findField(type, name);
  const condition = conditionOr400(
    typeof body.query === 'string' ? parseQuery(body.query, find) : readQuery(body.query ?? {}, find),
  );
  const fields = fieldsCalled(type, body.fields);
  const zones = await zonesFor(db, caller, behavior);
  const order = orderCalled(type, body.orderBy);
  const wanted: PastWanted = { type, condition, order, asked: askedIn(siteId, behavior, zones), at };
  const window = { limit: body.limit ?? 1000, skip: body.skip ?? 0 };
  const rendering = {
    siteId,
    linkTo: undefined,
    extended: false,
    wrapIntoArrays: body.wrapIntoArrays ?? false,
    textLimit: body.textLimit,
  };
  const part = { only: body.only, withAdded: body.withAdded ?? false };
  const asking = { wanted, fields };
  await prepareComparison(call.reads, asking);
  return inOneState(db, async (tx) => {
    const comparison = await comparisonOf(tx, asking);
    const { sides } = comparison;
    const ids = await idsOn(tx, wanted, comparison, listOf(sides, part), window);
    const page = await pastRows(tx, wanted, { ids, asToday: addedOn(ids, sides) }, fields, rendering);
    const { rows, differences } = answerOf(page, sides, { fields, behavior, zones });
    const total = totalOf(comparison, part);
    const counts = `"added":${sides.added.length},"removed":${sides.removed.length},"changed":${sides.changed.length}`;
    return {
      status: 200,
      json: `{"totalRecords":${total},${counts},"rows":[${rows.join(',')}],"differences":${JSON.stringify(differences)}}`,
    };
  });
}

const addedOn = (ids: Ids, { added }: Sides): Ids => ids.filter((id) => hasId(added, id));

/** The ids of a page: read by itself where that takes few ids along, else cut from the whole list. */
async function idsOn(
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
