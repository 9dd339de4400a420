import { type RawBuilder, sql } from 'kysely';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import { buildCountBefore, ENTRIES_BY_TYPE } from '../../../kernel/db/list-page.ts';
import { findCachedPosition } from './cached-rows.store.ts';
import { ENTRY, keysetSql, type RowPosition, sortKeySql } from './field-sql.store.ts';
import { countSql, matchingSql, searchOnlySql } from './matching.store.ts';
import { createFieldLookup, matchesAll, type ResolvedQuery } from './resolve-query.ts';

type Sql = RawBuilder<unknown>;

/**
 * Number of rows before an entry in a list; null when it does not match. Rows are counted by their sort key without
 * sorting them, which costs at most as much as reading the page at this position.
 */
export async function findPosition(db: Db, query: ResolvedQuery, entryId: number): Promise<number | null> {
  const cachedPosition = await findCachedPosition(db, query, entryId);
  if (cachedPosition !== undefined) return cachedPosition;
  const key = query.sort ? sortKeySql(query.sort, query.context.siteId) : sql`null::int`;
  const { rows } = await executeReplanned(
    sql<{
      key: RowPosition['key'];
    }>`select ${key} as key ${matchingSql(query, sql`${ENTRY}.entry_id = ${entryId}`)}`,
    db,
  );
  const [entry] = rows;
  if (!entry) return null;
  const counted = await executeReplanned(
    sql<{
      n: number;
    }>`select (${countBeforeSql(query, { entryId, key: entry.key })})::int as n`,
    db,
  );
  return counted.rows[0]?.n ?? null;
}

function countBeforeSql(query: ResolvedQuery, position: RowPosition): Sql {
  const { sort, context } = query;
  if (!sort) return countSmallerIdsSql(query, position.entryId);
  // The only resolved sort by id is the descending one.
  if (sort.field === ENTRY_ID)
    return sql`(${countSql(query)}) - 1 - (${countSmallerIdsSql(query, position.entryId)})`;
  const hasKey = sql`${sortKeySql(sort, context.siteId)} is not null`;
  // Without `hasKey` the planner could not use the index, which has entries with a value only.
  if (position.key !== null)
    return countNarrowedSql(query, sql`${hasKey} and ${keysetSql(sort, context.siteId, position, 'before')}`);
  // Entries without a value come last, by id: all with smaller ids precede, and those with a value and a larger id.
  const hasKeyAndLargerId = sql`${hasKey} and ${ENTRY}.entry_id > ${position.entryId}`;
  return sql`${countSmallerIdsSql(query, position.entryId)} + ${countNarrowedSql(query, hasKeyAndLargerId)}`;
}

const countNarrowedSql = (query: ResolvedQuery, narrowing: Sql): Sql =>
  sql`(select count(*) ${matchingSql(query, narrowing)})`;

/** Number of matching entries with smaller ids. */
function countSmallerIdsSql(query: ResolvedQuery, entryId: number): Sql {
  const { type, condition, context } = query;
  const { siteId } = context;
  if (matchesAll(condition))
    return buildCountBefore(
      { siteId, list: ENTRIES_BY_TYPE, parts: [type.id] },
      entryId,
      (firstId, endId) =>
        sql`select count(*) from entry where site_id = ${siteId} and type_id = ${type.id}
        and entry_id >= ${firstId} and entry_id < ${endId}`,
    );
  const searchSql = searchOnlySql(condition, createFieldLookup(type), context);
  return searchSql
    ? sql`(select count(*) from (${searchSql}) as texts where entry_id < ${entryId})`
    : countNarrowedSql(query, sql`${ENTRY}.entry_id < ${entryId}`);
}
