import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { requireBound, upToBound } from './bounds.store.ts';
import { type Rendering, valueJson } from './render.store.ts';

export interface CellAsked {
  entryId: number;
  fieldId: number;
}

/** Last change of a value: by whom, and when. */
interface Touched {
  entryId: number;
  fieldId: number;
  modified: Date;
  modifiedBy: number | null;
}

/** The types of living entries. */
export async function typesOfEntries(
  db: Db,
  siteId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ entry_id: number; type_id: number }>`
    select entry_id, type_id from entry where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.entry_id, row.type_id]));
}

/** The values of these fields of entries of one type, by entry and field id. */
export async function readValues(
  db: Db,
  entryIds: readonly number[],
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<Map<number, ReadonlyMap<number, unknown>>> {
  const parts = fields.map(
    (field) => sql`coalesce(${sql.lit(`,"${field.id}":`)} || ${valueJson(field, rendering)}, '')`,
  );
  const built = sql`select e.entry_id as at, '{' || substr(${sql.join(parts, sql` || `)}, 2) || '}' as row from entry e
    where e.site_id = ${rendering.siteId} and e.entry_id = any(${[...entryIds]}::int[])`;
  const { rows } = await sql<{
    at: number;
    row: string;
    bytes: number;
  }>`${upToBound(built)} order by at`.execute(db);
  requireBound(rows, 'body');
  return new Map(
    rows.map(({ at, row }) => {
      const values = Object.entries(JSON.parse(row) as Record<string, unknown>);
      return [at, new Map(values.map(([id, value]) => [Number(id), value]))];
    }),
  );
}

/** When each of the cells was changed last and by whom; where nobody did, when the entry was made. */
export async function lastTouched(db: Db, siteId: number, cells: readonly CellAsked[]): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    select c.entry_id as "entryId", c.field_id as "fieldId", coalesce(l.at, m.created_at) as modified,
      case when l.at is null then m.created_by else l.user_id end as "modifiedBy"
    from unnest(${cells.map((cell) => cell.entryId)}::int[], ${cells.map((cell) => cell.fieldId)}::int[]) as c(entry_id, field_id)
    join entry_change m on m.site_id = ${siteId} and m.entry_id = c.entry_id
    left join lateral (select at, user_id from cell_log
      where site_id = ${siteId} and entry_id = c.entry_id and field_id = c.field_id order by seq desc limit 1) l on true`.execute(
    db,
  );
  return rows;
}
