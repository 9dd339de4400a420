import { sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';

const TABLES = ['entry', 'entry_change', 'entry_multi', 'entry_text', 'cell_log'];
/** Rows come into these in the order of their primary keys, and are looked up by them while the load goes on. */
const KEPT = ['entry_pkey', 'entry_change_pkey'];

interface Index {
  table: string;
  name: string;
  /** Of a primary key, as its constraint is written. */
  constraint: string | null;
  statement: string;
}

async function indexes(tx: Tx): Promise<Index[]> {
  const { rows } = await sql<Index>`
    select r.relname as table, i.relname as name, pg_get_constraintdef(c.oid) as constraint, pg_get_indexdef(x.indexrelid) as statement
    from pg_index x join pg_class r on r.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    left join pg_constraint c on c.conindid = x.indexrelid
    where r.oid = any(${TABLES}::regclass[]) and not i.relname = any(${KEPT}) order by c.oid is null, i.relname`.execute(
    tx,
  );
  return rows;
}

/** Whether so few rows stand there that their places in the indexes are found again in no time. */
async function areFew(tx: Tx, most: number): Promise<boolean> {
  const upTo = (table: string) =>
    sql<number>`(select count(*)::int from (select from ${sql.table(table)} limit ${most + 1}) as found)`;
  const { rows } = await sql<{ n: number }>`
    select greatest(${upTo('entry_change')}, ${upTo('cell_log')}) as n`.execute(tx);
  return (rows[0]?.n ?? 0) <= most;
}

/**
 * Fills the tables of entries without their indexes, where at most a tenth of these entries stand there already (a
 * sample), and builds these afterwards: sorting once is several times as quick as finding the place of each row. Within
 * the transaction, so that a load that fails leaves everything as it was; who reads entries waits until it ends.
 */
export async function withoutIndexes<T>(tx: Tx, entries: number, fill: () => Promise<T>): Promise<T> {
  if (!(await areFew(tx, Math.floor(entries / 10)))) return fill();
  const all = await indexes(tx);
  for (const { table, name, constraint } of all)
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    await (
      constraint === null
        ? sql`drop index ${sql.ref(name)}`
        : sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`
    ).execute(tx);
  const result = await fill();
  await sql`select set_config('maintenance_work_mem', '256MB', true)`.execute(tx);
  for (const { table, name, constraint, statement } of all)
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    await (
      constraint === null
        ? sql.raw(statement)
        : sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(constraint)}`
    ).execute(tx);
  return result;
}
