import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { ENTRY } from './field-sql.store.ts';
import { limitResponseSql, requireRowsFit } from './page.store.ts';
import { type Rendering, valueJsonSql } from './row-json.store.ts';

export interface CellRef {
  entryId: number;
  fieldId: number;
}

/** The last change of a cell. */
interface CellChange extends CellRef {
  modified: Date;
  modifiedBy: number | null;
}

/** Type ids of entries by their ids; deleted entries are missing. */
export async function loadEntryTypes(
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

/** Values of fields of one type by entry id and field id. @throws ApiError 400 beyond the limit of a response */
export async function loadValues(
  db: Db,
  entryIds: readonly number[],
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<Map<number, ReadonlyMap<number, unknown>>> {
  const members = fields.map(
    (field) => sql`coalesce(${sql.lit(`,"${field.id}":`)} || ${valueJsonSql(field, rendering)}, '')`,
  );
  const rowsSql = sql`select ${ENTRY}.entry_id as at, '{' || substr(${sql.join(members, sql` || `)}, 2) || '}' as row
    from entry ${ENTRY} where ${ENTRY}.site_id = ${rendering.siteId} and ${ENTRY}.entry_id = any(${[...entryIds]}::int[])`;
  const { rows } = await sql<{
    at: number;
    row: string;
    bytes: number;
  }>`${limitResponseSql(rowsSql)} order by at`.execute(db);
  requireRowsFit(rows, 'body');
  return new Map(
    rows.map(({ at, row }) => {
      const values = Object.entries(JSON.parse(row) as Record<string, unknown>);
      return [at, new Map(values.map(([fieldId, value]) => [Number(fieldId), value]))];
    }),
  );
}

/** Time and user of the last change of each cell; of a cell that never changed, those of the entry's creation. */
export async function loadLastChanges(
  db: Db,
  siteId: number,
  cells: readonly CellRef[],
): Promise<CellChange[]> {
  const { rows } = await sql<CellChange>`
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
