/** All tables with data by the catalog of PostgreSQL, and their contents as a number, to compare or to read all of a database. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables/index.ts';

type Db = Kysely<Tables>;

/** Tables about the schema, and those of a move. */
const OWN_TABLES = [
  'kysely_migration',
  'kysely_migration_lock',
  'migration_phase',
  'moved_database',
  'move_step',
];

export interface DataTable {
  name: string;
  /** Without generated columns. */
  columns: readonly string[];
  /** Names and types of the columns, to compare two databases. */
  signature: string;
}

/** All tables with data, by name. */
export async function listTables(db: Db): Promise<DataTable[]> {
  const { rows } = await sql<DataTable>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attname) as signature
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relname = any(${OWN_TABLES})
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`.execute(db);
  return rows;
}

/** Number of rows of a table, and two sums of 64-bit hashes of their texts, which do not depend on the order of the rows. */
interface TableDigest {
  rows: number;
  hash: string;
}

/** Reads all rows of a table, or those of a `where` clause. */
export async function digestTable(
  db: Db,
  { name, columns }: Pick<DataTable, 'name' | 'columns'>,
  where: RawBuilder<unknown> = sql``,
): Promise<TableDigest> {
  const row = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<TableDigest>`
    select count(*) as rows, format('%s:%s', sum(hashtextextended(line, 0)), sum(hashtextextended(line, 1))) as hash
    from (select row(${row})::text as line from ${sql.table(name)} ${where}) as lines`.execute(db);
  const [digest] = rows;
  if (!digest) throw new Error(`${name} was not read`);
  return digest;
}
