import type { PastDifference, PastState } from '../../../../contract/generated/types.gen.ts';
import { parseQuery, parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import { type Db, readInSnapshot } from '../../../kernel/db/database.ts';
import { loadVersion } from '../../../kernel/db/type-versions.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { requirePast } from '../../../kernel/http/parameters.ts';
import { formatNumber } from '../../../kernel/numbers.ts';
import { type DateTimeBehavior, findField, type SchemaField, type TimeZones } from '../../schema/index.ts';
import { getSortNames } from '../query/field-sql.store.ts';
import { concatIds, hasId, NO_IDS, type SortedIds } from '../query/id-list.ts';
import {
  createQueryContext,
  getSortCacheKey,
  loadType,
  loadZones,
  parseMoment,
  resolveRowQuery,
  type RowWindow,
} from '../query/resolve-query.ts';
import { localizeRows } from '../query/row-text.ts';
import { cacheList, type ChangeSets, type Comparison, getState } from './as-of-cache.ts';
import {
  getComparison,
  prepareComparison,
  asOfLimits,
  rejectAsOf,
  type ComparisonRequest,
} from './as-of-compare.ts';
import { countBoundIds, readAllIds, readPageIds, type ListDefinition } from './as-of-ids.store.ts';
import { type AsOfQuery, type AsOfRow, readRowsAsOf } from './as-of-rows.store.ts';

type Row = PastDifference['today'] & object;

/** Which rows of the list are requested: one kind of changed entries only, or all, with or without added ones. */
export interface ListSelection {
  only: PastState | undefined;
  withAdded: boolean;
}

function selectList(changeSets: ChangeSets, { only, withAdded }: ListSelection): ListDefinition {
  const none = {
    asBefore: NO_IDS,
    asToday: NO_IDS,
    unchangedExcept: undefined,
    excluded: NO_IDS,
    additional: NO_IDS,
  };
  if (only === 'added') return { ...none, part: only, asToday: changeSets.added };
  if (only) return { ...none, part: only, asBefore: changeSets[only] };
  const then = {
    asBefore: changeSets.matchedBefore,
    unchangedExcept: changeSets.all,
    additional: changeSets.removed,
  };
  return withAdded
    ? { ...none, ...then, part: 'withAdded', asToday: changeSets.added }
    : { ...none, ...then, part: 'then', excluded: changeSets.added };
}

function countList({ changeSets, matches }: Comparison, { only, withAdded }: ListSelection): number {
  if (only !== undefined) return changeSets[only].length;
  return matches + changeSets.removed.length - (withAdded ? 0 : changeSets.added.length);
}

/** The difference between a row as of the date and the current entry. */
function toDifference(
  { entryId, isDeleted, mergedInto, differing }: AsOfRow,
  today: Row | undefined,
  state: PastState,
  fields: readonly SchemaField[],
): PastDifference {
  const ids = new Set(differing);
  const names = fields.filter(({ id }) => ids.has(id)).map(({ apiName }) => apiName);
  const currentValues =
    today && Object.fromEntries(names.flatMap((name) => (name in today ? [[name, today[name]]] : [])));
  const cut = today?.$cut?.filter((name) => names.includes(name)) ?? [];
  return {
    entryId,
    state,
    ...(state === 'removed' && { isDeleted }),
    ...(mergedInto !== null && { mergedEntryId: mergedInto }),
    ...(today && {
      fields: names,
      today: { EntryId: entryId, ...currentValues, ...(cut.length > 0 && { $cut: cut }) },
    }),
  };
}

/** Time zones of the dates in the response. */
interface DateDisplay {
  fields: readonly SchemaField[];
  behavior: DateTimeBehavior;
  zones: TimeZones;
}

/** The rows with their dates in the requested zone, and the differences of changed rows. */
export function formatPage(
  page: readonly AsOfRow[],
  changeSets: ChangeSets,
  { fields, behavior, zones }: DateDisplay,
) {
  const formatRows = (texts: readonly string[]) => localizeRows(texts, fields, behavior, zones);
  const rows = formatRows(page.map(({ row }) => row));
  const differences = page.flatMap((row) => {
    const state = getState(changeSets, row.entryId);
    if (!state) return [];
    const [text] = row.today === null ? [] : formatRows([row.today]);
    return toDifference(row, text === undefined ? undefined : (JSON.parse(text) as Row), state, fields);
  });
  return { rows, differences };
}

/** @throws ApiError 400 for an invalid date or one in the future */
export const parseAsOf = (text: string, behavior: DateTimeBehavior, zones: TimeZones): Date =>
  requirePast('asOf', parseMoment('asOf', text, behavior, zones));

/**
 * Rows as a query would have returned them at a date, and their differences from today.
 * @throws ApiError 400 for an invalid query or a date in the future, and when too many entries have changed since
 */
export async function queryRowsAsOf(call: Call<'queryRowsAsOf'>): Promise<{ status: 200; json: string }> {
  const { db, caller, params, body } = call;
  const { siteId } = caller;
  const behavior: DateTimeBehavior = body.dateTimeBehavior === 1 ? 1 : 0;
  const zones = await loadZones(db, caller, behavior);
  const at = parseAsOf(body.asOf, behavior, zones);
  const type = await loadType(db, siteId, params.entryTypeId);
  const find = (name: string) => findField(type, name);
  const parsed =
    typeof body.query === 'string' ? parseQuery(body.query, find) : parseQueryObject(body.query ?? {}, find);
  const { condition, fields, sort: order } = resolveRowQuery(type, parsed, body);
  const query: AsOfQuery = {
    type,
    condition,
    sort: order,
    context: createQueryContext(siteId, behavior, zones),
    at,
  };
  const window = { limit: body.limit ?? 1000, skip: body.skip ?? 0 };
  const rendering = {
    siteId,
    linkTo: undefined,
    extended: false,
    wrapIntoArrays: body.wrapIntoArrays ?? false,
    textLimit: body.textLimit,
  };
  const selection = { only: body.only, withAdded: body.withAdded ?? false };
  const request = { query, fields };
  await prepareComparison(call.readDb, request);
  return readInSnapshot(db, async (tx) => {
    const comparison = await getComparison(tx, request);
    const { changeSets } = comparison;
    const ids = await readIdsOfPage(tx, query, comparison, selectList(changeSets, selection), window);
    const page = await readRowsAsOf(
      tx,
      query,
      { ids, asToday: filterAdded(ids, changeSets) },
      fields,
      rendering,
    );
    const { rows, differences } = formatPage(page, changeSets, { fields, behavior, zones });
    const total = countList(comparison, selection);
    const counts = `"added":${changeSets.added.length},"removed":${changeSets.removed.length},"changed":${changeSets.changed.length}`;
    return {
      status: 200,
      json: `{"totalRecords":${total},${counts},"rows":[${rows.join(',')}],"differences":${JSON.stringify(differences)}}`,
    };
  });
}

/** Ids that one statement of a whole list returns. */
const LIST_WINDOW_IDS = 500_000;

/** All ids of a list in its order, as the transaction sees it, with the differences from today. @throws ApiError 400 */
export async function readListAsOf(
  tx: Db,
  request: ComparisonRequest,
  selection: ListSelection,
): Promise<{ lists: SortedIds[]; changeSets: ChangeSets }> {
  const { query } = request;
  const comparison = await getComparison(tx, request);
  const { changeSets } = comparison;
  const list = selectList(changeSets, selection);
  if (countBoundIds(query, list) > asOfLimits.maxInline)
    return { lists: [await loadWholeList(tx, query, comparison, list)], changeSets };
  const lists: SortedIds[] = [];
  for (let skip = 0; ; skip += LIST_WINDOW_IDS) {
    const ids = await readPageIds(tx, query, list, { limit: LIST_WINDOW_IDS, skip });
    lists.push(ids);
    if (ids.length < LIST_WINDOW_IDS) return { lists, changeSets };
  }
}

const filterAdded = (ids: SortedIds, { added }: ChangeSets): SortedIds =>
  ids.filter((id) => hasId(added, id));

/** The ids of a page: read alone if its statement needs few ids as parameters, otherwise cut from the sorted list. */
async function readIdsOfPage(
  tx: Db,
  query: AsOfQuery,
  comparison: Comparison,
  list: ListDefinition,
  window: RowWindow,
): Promise<SortedIds> {
  if (countBoundIds(query, list) <= asOfLimits.maxInline) return readPageIds(tx, query, list, window);
  const ids = await loadWholeList(tx, query, comparison, list);
  return ids.slice(window.skip, window.skip + window.limit);
}

async function loadWholeList(
  tx: Db,
  query: AsOfQuery,
  comparison: Comparison,
  list: ListDefinition,
): Promise<SortedIds> {
  const { part, asBefore, asToday, unchangedExcept } = list;
  // Without an order and unchanged entries, the ids are known and already sorted.
  if (!query.sort && !unchangedExcept) return concatIds([asBefore, asToday]);
  const order = query.sort ? JSON.stringify(getSortCacheKey(query.sort)) : '';
  const isByNames = query.sort !== undefined && getSortNames(query.sort) !== undefined;
  const namesVersion = isByNames
    ? await loadVersion(tx, { siteId: query.context.siteId, entries: 'all' })
    : undefined;
  const cached = comparison.lists.find(
    (candidate) =>
      candidate.part === part && candidate.order === order && candidate.namesVersion === namesVersion,
  );
  if (cached) return cached.ids;
  const { maxInline, maxListed } = asOfLimits;
  const ids = await readAllIds(tx, query, list, maxListed + 1);
  if (ids.length > maxListed)
    rejectAsOf(
      `more than ${formatNumber(maxInline)} entries have changed since then, and more than ${formatNumber(maxListed)} match; ` +
        'choose a later date or a narrower filter',
    );
  cacheList(comparison, { part, order, namesVersion, ids });
  return ids;
}
