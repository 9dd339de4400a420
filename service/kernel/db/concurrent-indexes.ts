import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables/index.ts';

/** An index that is built while the table is in use. */
export interface IndexDefinition {
  name: string;
  /** What follows the name in `create index`, such as `on entry (site_id, type_id)`. */
  definition: string;
  isUnique?: boolean;
}

/** Advisory lock of the processes that build indexes; no other lock of the service uses the key. */
const INDEX_LOCK_KEY = 7_402;
const LOCK_RETRY_MS = 200;

/** State of an index: a build that failed or was interrupted leaves an invalid one behind. */
async function isValid(db: Kysely<Tables>, name: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  return rows[0]?.isValid;
}

/** Waits for the lock without a statement that waits: a concurrent build would wait for the snapshot of that statement. */
async function lock(connection: Kysely<Tables>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isLocked: boolean }>`
      select pg_try_advisory_lock(${INDEX_LOCK_KEY}::bigint) as "isLocked"`.execute(connection);
    if (rows[0]?.isLocked) return;
    await sleep(LOCK_RETRY_MS);
  }
}

/**
 * Builds an index of a partitioned table (docs/decisions/0087), which PostgreSQL does not build concurrently as a whole: the one of the
 * table without the partitions, then that of each partition, which is attached to it. Partitions that are made meanwhile have theirs
 * from the start. @returns false if the table is not partitioned
 */
async function buildOnPartitions(
  connection: Kysely<Tables>,
  { name, definition }: IndexDefinition,
): Promise<boolean> {
  const [, table = '', rest = ''] = /^on (\w+) (.*)$/su.exec(definition) ?? [];
  const { rows: partitions } = await sql<{ name: string; schema: string; index: string; isDone: boolean }>`
    select format('%I.%I', n.nspname, c.relname) as name, quote_ident(n.nspname) as schema,
      quote_ident(c.relname || '_' || ${name}) as index,
      exists (select from pg_inherits x join pg_index k on k.indexrelid = x.inhrelid
        where x.inhparent = to_regclass(${name}) and k.indrelid = c.oid) as "isDone"
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
    where i.inhparent = to_regclass(${table}) and c.relpartbound is not null order by 1`.execute(connection);
  if (partitions.length === 0) return false;
  await sql.raw(`create index if not exists ${name} on only ${table} ${rest}`).execute(connection);
  for (const { name: partition, schema, index } of partitions.filter(({ isDone }) => !isDone)) {
    await sql.raw(`drop index concurrently if exists ${schema}.${index}`).execute(connection);
    await sql.raw(`create index concurrently ${index} on ${partition} ${rest}`).execute(connection);
    await sql.raw(`alter index ${name} attach partition ${schema}.${index}`).execute(connection);
  }
  return true;
}

/**
 * Builds the indexes that do not exist or are invalid. On PostgreSQL reads and writes go on meanwhile, and of several processes one
 * builds; the embedded database has one connection, so that a build is an ordinary statement.
 */
export async function buildIndexes(
  db: Kysely<Tables>,
  kind: 'embedded' | 'postgres',
  indexes: readonly IndexDefinition[],
): Promise<void> {
  const valid = await Promise.all(indexes.map(({ name }) => isValid(db, name)));
  if (valid.every(Boolean)) return;
  const concurrently = kind === 'postgres' ? 'concurrently' : '';
  await db.connection().execute(async (connection) => {
    await lock(connection);
    try {
      for (const { name, definition, isUnique = false } of indexes) {
        const isBuilt = await isValid(connection, name);
        if (isBuilt) continue;
        if (await buildOnPartitions(connection, { name, definition })) continue;
        if (isBuilt === false) await sql.raw(`drop index ${concurrently} ${name}`).execute(connection);
        await sql
          .raw(`create ${isUnique ? 'unique ' : ''}index ${concurrently} ${name} ${definition}`)
          .execute(connection);
      }
    } finally {
      await sql`select pg_advisory_unlock(${INDEX_LOCK_KEY}::bigint)`.execute(connection);
    }
  });
}
