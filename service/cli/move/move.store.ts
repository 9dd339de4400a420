/** Statements of `steward move` (move-database.ts): tables, rows and sequences by the catalog of PostgreSQL, so that none is forgotten. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { DataTable } from '../../kernel/db/table-digest.ts';

/** Other connections of a service to the database of this connection. */
export async function countServiceConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'steward' and pid <> pg_backend_pid()`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Prevents that a service starts on the database, with the reason that it prints (kernel/db/moved-database.ts). */
export async function markAsMoved(tx: Tx, reason: string): Promise<void> {
  await sql`create table if not exists moved_database (reason text not null)`.execute(tx);
  await sql`truncate moved_database`.execute(tx);
  await sql`insert into moved_database (reason) values (${reason})`.execute(tx);
}

export async function removeMark(tx: Tx): Promise<void> {
  await sql`drop table if exists moved_database`.execute(tx);
}

export async function hasSites(db: Db): Promise<boolean> {
  const { rows } = await sql`select from site limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether a move into the database has begun and not finished. */
export async function isMoveTarget(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    exists: boolean;
  }>`select to_regclass('move_step') is not null as exists`.execute(db);
  return rows[0]?.exists ?? false;
}

/**
 * Empties the tables of the target, and drops its foreign keys and secondary indexes: rows are copied in any order, and indexes of
 * filled tables are built faster. Their definitions are steps, which are executed at the end. Steps of an earlier attempt stay.
 */
export async function prepareTarget(tx: Tx, tables: readonly string[]): Promise<void> {
  const { rows } = await sql<{ drop: string; create: string }>`
    select format('alter table %I drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %I add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
    from pg_constraint where contype = 'f' and conrelid = any(${tables}::regclass[])
    union all
    -- Opening the target to continue builds the indexes that a migration names again (kernel/db/concurrent-indexes.ts).
    select format('drop index %I', i.relname), replace(
      regexp_replace(pg_get_indexdef(x.indexrelid), ' INDEX ', ' INDEX if not exists '), ' ON ONLY ', ' ON ')
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = any(${tables}::regclass[])
      and not exists (select from pg_constraint c where c.conindid = x.indexrelid and c.contype <> 'f')
    order by 1`.execute(tx);
  const statements = [
    // "alter" is before "drop": a foreign key goes before the index that it may need.
    ...rows.map(({ drop }) => drop),
    ...tables.map((table) => `alter table "${table}" disable trigger user`),
  ];
  await sql.raw(`do $move$ begin ${statements.join('; ')}; end $move$`).execute(tx);
  await sql`create table if not exists move_step (
    step int generated always as identity primary key, table_name text, next_block bigint, statement text)`.execute(
    tx,
  );
  await sql`delete from move_step where table_name is not null`.execute(tx);
  await sql`insert into move_step (table_name, next_block) select unnest(${tables}::text[]), 0`.execute(tx);
  await sql`insert into move_step (statement)
    select unnest(${rows.toReversed().map(({ create }) => create)}::text[])`.execute(tx);
  await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(tx);
}

/** The block of the table in the source from which it is to be copied. */
export async function findNextBlock(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ block: number }>`
    select next_block as block from move_step where table_name = ${table}`.execute(db);
  return rows[0]?.block ?? 0;
}

export async function setNextBlock(tx: Tx, table: string, block: number): Promise<void> {
  await sql`update move_step set next_block = ${block} where table_name = ${table}`.execute(tx);
}

/** Numbers of blocks of the tables, in which their rows are read; of a partitioned table, that of its largest partition. */
export async function countBlocks(db: Db, tables: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; blocks: number }>`
    select name, (select max(pg_relation_size(relid)) from (
        select name::regclass as relid union all select relid from pg_partition_tree(name::regclass)) part)
      / current_setting('block_size')::int as blocks
    from unnest(${tables}::text[]) as name`.execute(db);
  return new Map(rows.map(({ name, blocks }) => [name, blocks]));
}

/** The rows of some blocks, all values as text; of a partitioned table, of these blocks of all its partitions. Without writes a row stays in its block. */
export async function readBlocks(
  db: Db,
  { name, columns }: DataTable,
  from: number,
  to: number,
): Promise<(string | null)[][]> {
  const values = columns.map((column, at) => sql`${sql.ref(column)}::text as ${sql.ref(String(at))}`);
  const { rows } = await sql<Record<string, string | null>>`
    select ${sql.join(values)} from ${sql.table(name)}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid`.execute(db);
  return rows.map((row) => columns.map((_column, at) => row[String(at)] ?? null));
}

interface Step {
  step: number;
  statement: string;
}

/** Statements that complete the schema of the target, in their order. */
export async function listStatements(db: Db): Promise<Step[]> {
  const { rows } = await sql<Step>`
    select step, statement from move_step where statement is not null order by step`.execute(db);
  return rows;
}

/** Executes statements until one has taken long, and deletes their steps. @returns how many were executed */
export async function executeSteps(tx: Tx, steps: readonly Step[], maxMs: number): Promise<number> {
  const startedAt = performance.now();
  await sql`select set_config('maintenance_work_mem', '256MB', true)`.execute(tx);
  let count = 0;
  for (const { statement } of steps) {
    await sql.raw(statement).execute(tx);
    count += 1;
    if (performance.now() - startedAt > maxMs) break;
  }
  await sql`delete from move_step where step = any(${steps.slice(0, count).map(({ step }) => step)})`.execute(
    tx,
  );
  return count;
}

interface SequenceState {
  name: string;
  value: number;
  isCalled: boolean;
}

export async function readSequences(db: Db): Promise<SequenceState[]> {
  const { rows } = await sql<SequenceState>`
    select sequencename as name, coalesce(last_value, start_value) as value, last_value is not null as "isCalled"
    from pg_sequences where schemaname = current_schema() and sequencename <> 'move_step_step_seq'`.execute(
    db,
  );
  return rows;
}

export async function setSequences(tx: Tx, sequences: readonly SequenceState[]): Promise<void> {
  await sql`select setval(name::regclass, value, "isCalled")
    from jsonb_to_recordset(${JSON.stringify(sequences)}::jsonb) as s(name text, value bigint, "isCalled" boolean)`.execute(
    tx,
  );
}

/** Ends the move into this database. */
export async function finishTarget(tx: Tx, tables: readonly string[]): Promise<void> {
  const statements = tables.map((table) => `alter table "${table}" enable trigger user`);
  await sql.raw(`do $move$ begin ${statements.join('; ')}; end $move$`).execute(tx);
  await sql`drop table move_step`.execute(tx);
  await removeMark(tx);
}

export async function analyze(db: Db): Promise<void> {
  await sql`analyze`.execute(db);
}
