import { sql } from 'kysely';
import { isOfCluster } from '../../kernel/db/cluster.ts';
import type { Tx } from '../../kernel/db/database.ts';

const TABLES = ['entry', 'entry_change', 'entry_multi', 'entry_text', 'cell_log'];
/** These indexes stay: rows are inserted in their order and looked up by them during the load. */
const KEPT_INDEXES = ['entry_pkey', 'entry_change_pkey'];

interface IndexDefinition {
  table: string;
  name: string;
  /** Definition of the constraint for a primary key; null for other indexes. */
  constraint: string | null;
  statement: string;
}

async function listIndexes(tx: Tx): Promise<IndexDefinition[]> {
  const { rows } = await sql<IndexDefinition>`
    select r.relname as table, i.relname as name, pg_get_constraintdef(c.oid) as constraint, pg_get_indexdef(x.indexrelid) as statement
    from pg_index x join pg_class r on r.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    left join pg_constraint c on c.conindid = x.indexrelid
    where r.oid = any(${TABLES}::regclass[]) and not i.relname = any(${KEPT_INDEXES}) order by c.oid is null, i.relname`.execute(
    tx,
  );
  return rows;
}

/** Whether the tables have so few rows that rebuilding their indexes takes little time. */
async function hasAtMostRows(tx: Tx, maxRows: number): Promise<boolean> {
  const upTo = (table: string) =>
    sql<number>`(select count(*)::int from (select from ${sql.table(table)} limit ${maxRows + 1}) as found)`;
  const { rows } = await sql<{ n: number }>`
    select greatest(${upTo('entry_change')}, ${upTo('cell_log')}) as n`.execute(tx);
  return (rows[0]?.n ?? 0) <= maxRows;
}

/**
 * Drops the indexes of the entry tables, calls `fill`, and creates the indexes again, which is several times faster than inserting
 * into them. If the tables already have more than a tenth of `entries` rows, or are those of a cluster, only calls `fill`. All within the transaction, so a
 * failure changes nothing; requests that read entries wait until the commit.
 */
export async function withoutIndexes<T>(tx: Tx, entries: number, fill: () => Promise<T>): Promise<T> {
  if ((await isOfCluster(tx)) || !(await hasAtMostRows(tx, Math.floor(entries / 10)))) return fill();
  const all = await listIndexes(tx);
  for (const { table, name, constraint } of all)
    await (
      constraint === null
        ? sql`drop index ${sql.ref(name)}`
        : sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`
    ).execute(tx);
  const result = await fill();
  await sql`select set_config('maintenance_work_mem', '256MB', true)`.execute(tx);
  for (const { table, name, constraint, statement } of all)
    await (
      constraint === null
        ? sql.raw(statement)
        : sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(constraint)}`
    ).execute(tx);
  return result;
}
