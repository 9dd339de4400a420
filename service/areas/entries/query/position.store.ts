import { type RawBuilder, sql } from 'kysely';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { countBefore, ENTRIES_BY_TYPE } from '../../../kernel/db/list-page.ts';
import { textsWith } from './conditions.store.ts';
import { keptPosition } from '../cache/kept-rows.store.ts';
import { asksForAll, fieldIn, matching, totalSql, type Wanted } from './matching.store.ts';
import { besideSql, orderSql } from './order.store.ts';
import type { Position } from '../cache/positions.ts';

type Sql = RawBuilder<unknown>;

const counted = (wanted: Wanted, narrowed: Sql): Sql => sql`(select count(*) ${matching(wanted, narrowed)})`;

/** How many that match have smaller ids. */
function idsBefore(wanted: Wanted, entryId: number): Sql {
  const { type, condition, asked } = wanted;
  const { siteId } = asked;
  if (asksForAll(condition))
    return countBefore(
      { siteId, list: ENTRIES_BY_TYPE, part: type.id },
      entryId,
      (firstId, upToId) =>
        sql`select count(*) from entry where site_id = ${siteId} and type_id = ${type.id}
        and entry_id >= ${firstId} and entry_id < ${upToId}`,
    );
  const texts = textsWith(condition, fieldIn(type), asked);
  return texts
    ? sql`(select count(*) from (${texts}) as texts where entry_id < ${entryId})`
    : counted(wanted, sql`e.entry_id < ${entryId}`);
}

function before(wanted: Wanted, at: Position): Sql {
  const { order, asked } = wanted;
  if (!order) return idsBefore(wanted, at.entryId);
  // By ids there is an order of its own only where it runs backwards.
  if (order.field === ENTRY_ID) return sql`(${totalSql(wanted)}) - 1 - (${idsBefore(wanted, at.entryId)})`;
  const hasOne = sql`${orderSql(order, asked.siteId)} is not null`;
  // The index of those with a value: the comparison alone does not tell that there is one.
  if (at.key !== null)
    return counted(wanted, sql`${hasOne} and ${besideSql(order, asked.siteId, at, 'before')}`);
  // Those without a value stand last, by their ids: before them are all with smaller ones, and of the others those with one.
  const larger = sql`${hasOne} and e.entry_id > ${at.entryId}`;
  return sql`${idsBefore(wanted, at.entryId)} + ${counted(wanted, larger)}`;
}

/**
 * How many rows stand before an entry in a list; null where it does not match. They are counted by what orders them, and
 * nothing is sorted: it costs as much as the page there does, or less.
 */
export async function positionIn(db: Db, wanted: Wanted, entryId: number): Promise<number | null> {
  const kept = await keptPosition(db, wanted, entryId);
  if (kept !== undefined) return kept;
  const key = wanted.order ? orderSql(wanted.order, wanted.asked.siteId) : sql`null::int`;
  const { rows } = await sql<{
    key: Position['key'];
  }>`select ${key} as key ${matching(wanted, sql`e.entry_id = ${entryId}`)}`.execute(db);
  const [found] = rows;
  if (!found) return null;
  const read = await sql<{
    n: number;
  }>`select (${before(wanted, { entryId, key: found.key })})::int as n`.execute(db);
  return read.rows[0]?.n ?? null;
}
