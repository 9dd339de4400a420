/** Where a restore writes: everything comes and goes as text, in the way that is quickest for the database. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import { openTarget as openLoad, type Piece } from '../load/target.ts';

export type Row = readonly (string | null)[];

export interface Target {
  db: Db;
  write: (tx: Tx, table: keyof Tables, columns: readonly string[], rows: readonly Row[]) => Promise<void>;
  close(): Promise<void>;
}

const types = new Map<string, string>();

/** The type of each column, as the text of a cell is cast to it. */
async function typesOf(tx: Tx, table: string): Promise<void> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(tx);
  for (const { name, type } of rows) types.set(`${table}.${name}`, type);
}

/** One JSON text of texts, cast in the database. */
export async function insertTexts(
  tx: Tx,
  table: keyof Tables,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  if (!types.has(`${table}.${columns[0]}`)) await typesOf(tx, table);
  const values = columns.map((column, at) => {
    const type = types.get(`${table}.${column}`);
    if (type === undefined) throw new Error(`${table} has no column ${column}`);
    return sql`(cells ->> ${sql.lit(at)})::${sql.raw(type)}`;
  });
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    overriding system value select ${sql.join(values)}
    from json_array_elements(${JSON.stringify(rows)}::json) as cells`.execute(tx);
}

/** Opens the database, migrated. */
export async function openTarget(place: {
  databaseUrl: string | undefined;
  dataDir: string;
}): Promise<Target> {
  const target = await openLoad(place);
  const copy: Target['write'] = (tx, table, columns, rows) =>
    target.write(tx, { table, columns, rows } satisfies Piece);
  return {
    db: target.db,
    write: place.databaseUrl === undefined ? insertTexts : copy,
    close: () => target.close(),
  };
}
