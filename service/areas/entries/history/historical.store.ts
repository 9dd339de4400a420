import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { requireBound, upToBound } from '../query/bounds.store.ts';
import { type Rendering, rowJson } from '../query/render.store.ts';

/** Values as they were: which entries of a type, which of its fields, when. */
export interface Past {
  siteId: number;
  typeId: number;
  /** Undefined: all entries that were there at that moment. */
  entryIds: readonly number[] | undefined;
  fields: readonly SchemaField[];
  at: Date;
}

/** So many fields are found sooner in the whole log of an entry than each by a look of its own. */
const MANY = 3;

/** What the log holds of these fields; the sum keeps the index from being asked for each of them. */
const isOneOf = (ids: readonly number[]): RawBuilder<boolean> =>
  sql`${ids.length < MANY ? sql`field_id` : sql`field_id + 0`} = any(${[...ids]}::int[])`;

/**
 * Rows at a moment (spec 4.4, shapes 4): the value of a field is what its first later change replaced, or what it is
 * now; of an entry deleted since, what it was at deletion; of a calculated field, what it is now. Entries that were made
 * later are not there.
 */
export async function rowsAt(db: Db, past: Past, most: number, rendering: Rendering): Promise<string[]> {
  const { siteId, typeId, entryIds, fields, at } = past;
  const chosen = entryIds === undefined ? sql`true` : sql`c.entry_id = any(${[...entryIds]}::int[])`;
  const logged = fields.filter((field) => !field.isCalculated).map((field) => field.id);
  // One look into the log for each entry; merged once, where every field would merge them anew.
  // Of a deleted entry the values at deletion count, whatever moment before it is asked for.
  const { rows } = await sql<{ row: string; bytes: number }>`
    with here as materialized (
      select c.entry_id, coalesce(n.vals, c.last_vals) as vals, c.deleted_at is not null as gone
      from entry_change c left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id
      where c.site_id = ${siteId} and c.type_id = ${typeId} and c.created_at <= ${at}::timestamptz and ${chosen}
      order by c.entry_id limit ${most}),
    e as materialized (
      select here.entry_id, (here.vals || coalesce(then_.vals, '{}')) - coalesce(then_.cleared, '{}'::text[]) as vals
      from here left join lateral (
        select jsonb_object_agg(l.field_id::text, l.old) filter (where l.old is not null) as vals,
          array_agg(l.field_id::text) filter (where l.old is null) as cleared
        from (select distinct on (field_id) field_id, old from cell_log
          where site_id = ${siteId} and entry_id = here.entry_id and ${isOneOf(logged)}
            and at > ${at}::timestamptz order by field_id, seq) l) then_ on not here.gone)
    ${upToBound(sql`select ${rowJson(fields, rendering)} as row, e.entry_id as at from e`)} order by at`.execute(
    db,
  );
  requireBound(rows, 'entries');
  return rows.map(({ row }) => row);
}
