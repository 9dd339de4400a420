import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { ENTRY } from '../query/field-sql.store.ts';
import { limitResponseSql, requireRowsFit } from '../query/page.store.ts';
import { type Rendering, rowJsonSql } from '../query/row-json.store.ts';

/** A query of historical values: entries of a type, some of its fields, at a timestamp. */
export interface HistoricalQuery {
  siteId: number;
  typeId: number;
  /** Undefined: all entries that existed at that time. */
  entryIds: readonly number[] | undefined;
  fields: readonly SchemaField[];
  at: Date;
}

/** From this number of fields on, reading the whole log of an entry is faster than one index lookup for each field. */
const MIN_FIELDS_FOR_FULL_LOG = 3;

/** Condition on log rows of these fields; `field_id + 0` keeps the planner from one index lookup for each field. */
const isLoggedFieldSql = (ids: readonly number[]): RawBuilder<boolean> =>
  sql`${ids.length < MIN_FIELDS_FOR_FULL_LOG ? sql`field_id` : sql`field_id + 0`} = any(${[...ids]}::int[])`;

/**
 * Rows at a timestamp (spec 4.4, shapes 4). The value of a field is the old value of its first later change, or the
 * current value; calculated fields have their current value. Entries deleted since then have their values at deletion.
 * Entries created later are left out.
 */
export async function readHistoricalRows(
  db: Db,
  query: HistoricalQuery,
  limit: number,
  rendering: Rendering,
): Promise<string[]> {
  const { siteId, typeId, entryIds, fields, at } = query;
  const isRequestedSql = entryIds === undefined ? sql`true` : sql`c.entry_id = any(${[...entryIds]}::int[])`;
  const loggedIds = fields.filter((field) => !field.isCalculated).map((field) => field.id);
  // One log lookup and one merge for each entry, instead of one for each field.
  // Deleted entries have their values at deletion, whichever earlier timestamp is requested.
  const { rows } = await sql<{ row: string; bytes: number }>`
    with here as materialized (
      select c.entry_id, coalesce(n.vals, c.last_vals) as vals, c.deleted_at is not null as is_deleted
      from entry_change c left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id
      where c.site_id = ${siteId} and c.type_id = ${typeId} and c.created_at <= ${at}::timestamptz and ${isRequestedSql}
      order by c.entry_id limit ${limit}),
    ${ENTRY} as materialized (
      select here.entry_id, (here.vals || coalesce(then_.vals, '{}')) - coalesce(then_.cleared, '{}'::text[]) as vals
      from here left join lateral (
        select jsonb_object_agg(l.field_id::text, l.old) filter (where l.old is not null) as vals,
          array_agg(l.field_id::text) filter (where l.old is null) as cleared
        from (select distinct on (field_id) field_id, old from cell_log
          where site_id = ${siteId} and entry_id = here.entry_id and ${isLoggedFieldSql(loggedIds)}
            and at > ${at}::timestamptz order by field_id, seq) l) then_ on not here.is_deleted)
    ${limitResponseSql(sql`select ${rowJsonSql(fields, rendering)} as row, ${ENTRY}.entry_id as at from ${ENTRY}`)} order by at`.execute(
    db,
  );
  requireRowsFit(rows, 'entries');
  return rows.map(({ row }) => row);
}
