/** Pages of lists that no index has in their order: their sorted ids are cached (docs/decisions/0031). */
import { type RawBuilder, sql } from 'kysely';
import { type Condition, ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { type Db, withAbortSignal, withBudget } from '../../../kernel/db/database.ts';
import { type DataVersion, isUnchangedSql, versionSql } from '../../../kernel/db/type-versions.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import {
  ENTRY,
  getDependency,
  getSortNames,
  isSortIndexed,
  slotSql,
  sortKeySql,
  textSql,
} from './field-sql.store.ts';
import { getCachedIdList, type IdList, loadIdList } from './id-list-cache.ts';
import { unpackIds } from './id-list.ts';
import { matchingSql, searchOnlySql } from './matching.store.ts';
import { type Page, readPage, rowsByIdsSql } from './page.store.ts';
import { createFieldLookup, getQueryKey, type ResolvedQuery, type RowWindow } from './resolve-query.ts';

type Sql = RawBuilder<unknown>;

/** Whether a condition compares a field without a slot, so that all entries of the type are scanned. */
function needsScan(condition: Condition, type: EntryType): boolean {
  if (condition.kind === 'group') return condition.conditions.some((part) => needsScan(part, type));
  const { field } = condition;
  return field !== ENTRY_ID && slotSql(createFieldLookup(type)(field.id)) === undefined;
}

/** Whether the ids of a list are cached: otherwise each page would scan or sort the entries of the type again. */
export function usesIdList({ type, condition, sort, context }: ResolvedQuery): boolean {
  if (sort) return !isSortIndexed(sort) || needsScan(condition, type);
  return !searchOnlySql(condition, createFieldLookup(type), context) && needsScan(condition, type);
}

/**
 * A page of a list whose ids are cached; an outdated list is computed again. Undefined: the list changes faster than it
 * is computed.
 */
export async function readCachedRows(
  { db, readDb, signal }: Pick<Call, 'db' | 'readDb' | 'signal'>,
  query: ResolvedQuery,
  window: RowWindow,
  row: Sql,
): Promise<Page | undefined> {
  const key = getQueryKey(query);
  const cached = getCachedIdList(key);
  const page = cached && (await readPageOfList(readDb, query, window, row, cached));
  if (page || (cached && performance.now() < cached.recomputeAfter)) return page;
  const list = await loadIdList(key, signal, (loadSignal) =>
    computeIdList(withBudget(withAbortSignal(db, loadSignal), undefined), query),
  );
  return readPageOfList(readDb, query, window, row, list);
}

/** Position of an entry in a list whose ids are cached; null: it is not in the list, undefined: the list is not cached. */
export async function findCachedPosition(
  db: Db,
  query: ResolvedQuery,
  entryId: number,
): Promise<number | null | undefined> {
  const list = usesIdList(query) ? getCachedIdList(getQueryKey(query)) : undefined;
  if (!list) return undefined;
  const { rows } = await sql<{
    isCurrent: boolean;
  }>`select ${isCurrentSql(query, list)} as "isCurrent"`.execute(db);
  if (!rows[0]?.isCurrent) return undefined;
  const position = list.ids.indexOf(entryId);
  return position < 0 ? null : position;
}

/** The page as a slice of the list; undefined when the list is outdated. */
async function readPageOfList(
  db: Db,
  query: ResolvedQuery,
  { limit, skip }: RowWindow,
  row: Sql,
  list: IdList,
): Promise<Page | undefined> {
  const { siteId } = query.context;
  const pageIds = [...list.ids.subarray(skip, skip + limit)];
  const idsSql = sql`select id as entry_id, null as key from unnest(${pageIds}::int[]) with ordinality as page(id, at) order by at`;
  const page = await readPage(db, {
    siteId,
    rows: rowsByIdsSql(idsSql, siteId, row),
    limit,
    isCurrent: isCurrentSql(query, list),
  });
  return page.isCurrent ? { ...page, total: list.ids.length } : undefined;
}

/** Whether a list is current, as the statement sees it. */
function isCurrentSql(query: ResolvedQuery, { version, users }: IdList): Sql {
  const isUnchanged = isUnchangedSql(getDependency(query), version);
  if (!users) return isUnchanged;
  return sql`(${isUnchanged} and ${nameChecksumSql(sql`${[...users.ids]}`)} = ${users.nameChecksum})`;
}

/** Sum of hashes of the names of users. */
const nameChecksumSql = (
  userIds: Sql,
): Sql => sql`(select coalesce(sum(hashtextextended(first_name || ' ' || last_name, user_id)), 0)::text
  from account where user_id = any(${userIds}::int[]))`;

const getUserSortField = ({ sort }: ResolvedQuery): SchemaField | undefined =>
  sort && sort.field !== ENTRY_ID && getSortNames(sort) === 'users' ? sort.field : undefined;

interface IdListRow {
  ids: Buffer;
  /** Number of entries with a sort key. */
  keyCount: number;
  version: DataVersion;
  userIds: Buffer | null;
  nameChecksum: string | null;
}

/** Computes all ids of a list in its order, with the version they were read at. Entries without a sort key come last, by id. */
async function computeIdList(db: Db, query: ResolvedQuery): Promise<IdList> {
  const { sort, context } = query;
  const key = sort ? sortKeySql(sort, context.siteId) : sql`null`;
  const direction = sort?.descending ? sql`desc` : sql`asc`;
  const orderBy: Sql = sort
    ? sql`order by key ${direction} nulls last, ${ENTRY}.entry_id ${direction}`
    : sql`order by ${ENTRY}.entry_id`;
  const userField = getUserSortField(query);
  const userId = userField ? sql`${textSql(userField)}::int` : sql`null::int`;
  const found = sql`select ${ENTRY}.entry_id, ${key} as key, ${userId} as user_id ${matchingSql(query)} ${orderBy}`;
  // No other ordered or distinct aggregate beside the ids: it would aggregate them in another order.
  const { rows } = await sql<IdListRow>`
    with ${
      userField
        ? sql`found as materialized (${found}), users as materialized (
      select array_agg(distinct user_id) filter (where user_id is not null) as ids from found)`
        : sql`found as (${found})`
    }
    select coalesce(string_agg(int4send(entry_id), ''::bytea), ''::bytea) as ids, count(key)::int as "keyCount",
      ${versionSql(getDependency(query))} as version,
      ${
        userField
          ? sql`(select string_agg(int4send(id), ''::bytea) from users, unnest(users.ids) as id) as "userIds",
            ${nameChecksumSql(sql`(select ids from users)`)} as "nameChecksum"`
          : sql`null::bytea as "userIds", null as "nameChecksum"`
      }
    from found`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The statement of a list returns one row');
  const ids = unpackIds(row.ids);
  // A descending order puts them in descending order of ids as well.
  if (sort?.descending) ids.subarray(row.keyCount).reverse();
  const users = row.userIds && { ids: unpackIds(row.userIds), nameChecksum: row.nameChecksum ?? '' };
  return { ids, version: row.version, users: users ?? undefined };
}
