/** Writing of restored rows: all values are texts, written in the way that is fastest for the database. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { DatabasePlace } from '../database-option.ts';
import { openLoadTarget as openLoad, type TableRows } from '../load/target.ts';

export type TextCells = readonly (string | null)[];

export interface RestoreTarget {
  db: Db;
  write: (tx: Tx, table: string, columns: readonly string[], rows: readonly TextCells[]) => Promise<void>;
  close(): Promise<void>;
}

const columnTypes = new Map<string, string>();

/** Loads the types of the columns of a table, to which the texts are cast. */
async function loadColumnTypes(tx: Tx, table: string): Promise<void> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(tx);
  for (const { name, type } of rows) columnTypes.set(`${table}.${name}`, type);
}

/** Inserts rows passed as one JSON text of texts, which the database casts. */
export async function insertTexts(
  tx: Tx,
  table: string,
  columns: readonly string[],
  rows: readonly TextCells[],
): Promise<void> {
  if (!columnTypes.has(`${table}.${columns[0]}`)) await loadColumnTypes(tx, table);
  const values = columns.map((column, at) => {
    const type = columnTypes.get(`${table}.${column}`);
    if (type === undefined) throw new Error(`${table} has no column ${column}`);
    return sql`(cells ->> ${sql.lit(at)})::${sql.raw(type)}`;
  });
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    overriding system value select ${sql.join(values)}
    from json_array_elements(${JSON.stringify(rows)}::json) as cells`.execute(tx);
}

/** Opens the migrated database for a restore. */
export async function openRestoreTarget(
  place: DatabasePlace & { acceptsMoved?: boolean },
): Promise<RestoreTarget> {
  const target = await openLoad(place);
  const copy: RestoreTarget['write'] = (tx, table, columns, rows) =>
    target.write(tx, { table, columns, rows } satisfies TableRows);
  return {
    db: target.db,
    write: place.databaseUrl === undefined ? insertTexts : copy,
    close: () => target.close(),
  };
}
