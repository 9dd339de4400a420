/**
 * Partitions of logs that retention shortens, by month or year, on PostgreSQL only (docs/decisions/0087). Statements of areas name the table and
 * do not see them. The oldest partition has no lower bound and the newest no upper one, so that every row has a place, whatever its
 * time is. Partitions are tables of a schema of their own, with the keys that the table had; unique across partitions are offsets and
 * ids because a counter gives them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { getDbError } from './driver/errors.ts';
import type { Tables } from './tables/index.ts';

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

/** Tables with a column `at` by which they are partitioned. */
export const PARTITIONED_TABLES = ['activity', 'audit_log', 'topic_event'] as const;
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

/**
 * Months in a partition: about ten partitions for the usual retention of a table, because each is planned with every statement. With a
 * partition for each of the 84 months of the audit log its reads took ten times as long.
 */
const PARTITION_MONTHS: Readonly<Record<PartitionedTable, number>> = {
  activity: 1,
  audit_log: 12,
  topic_event: 1,
};
/** Months after the current one for which there are partitions. */
export const MONTHS_AHEAD = 4;
/** Larger tables are compared with the bound of their partition while they are in use, and not while they are locked. */
const MAX_LOCKED_SCAN_BYTES = 16_000_000;
/** Rows of a large table may be this much later than now when its partition is attached: more than any check takes. */
const BOUND_DISTANCE_DAYS = 62;
/** Wait for a lock, during which other statements wait behind it. */
const LOCK_TIMEOUT_MS = 500;
const LOCK_PAUSE_MS = 250;
const LOCK_NOT_AVAILABLE = '55P03';
/** Reasons for which a table stays as it is: a long transaction, a row of a wrong clock after the bound, no right to create a schema. */
const OBSTACLES: readonly string[] = [LOCK_NOT_AVAILABLE, '23514', '42501'];

export interface Partition {
  /** With its schema, to be used in a statement. */
  name: string;
  /** Start, inclusive; null: none. */
  from: Date | null;
  /** End, exclusive; null: none. */
  to: Date | null;
}

const addMonths = (month: Date, count: number): Date =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + count, 1));

/** Start of the period of a partition that contains a time, or of the `count`th one after it (UTC). */
export function getPeriodStart(table: PartitionedTable, time: Date, count = 0): Date {
  const months = PARTITION_MONTHS[table];
  return addMonths(time, count * months - (time.getUTCMonth() % months));
}

const describeMonth = (month: Date): string => month.toISOString().slice(0, 7).replace('-', '_');

const quote = (date: Date | null, unbounded: 'minvalue' | 'maxvalue'): string =>
  date === null ? unbounded : `'${date.toISOString()}'`;

const describeBounds = ({ from, to }: Pick<Partition, 'from' | 'to'>): string =>
  `for values from (${quote(from, 'minvalue')}) to (${quote(to, 'maxvalue')})`;

/** Executes text that is made of names and dates only. */
async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}

/** Schema of the partitions: that of the tables has only what statements name. */
async function readSchema(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_schema() || '_partitions' as name`.execute(db);
  if (!rows[0]) throw new Error('No schema is selected');
  return rows[0].name;
}

interface TableState {
  isPartitioned: boolean;
  /** Whether the role may change the definition of the table. */
  isOwner: boolean;
  bytes: number;
}

async function readTable(db: Db, table: PartitionedTable): Promise<TableState> {
  const { rows } = await sql<TableState>`
    select relkind = 'p' as "isPartitioned", pg_has_role(relowner, 'usage') as "isOwner", pg_relation_size(oid)::float8 as bytes
    from pg_class where oid = to_regclass(${table})`.execute(db);
  if (!rows[0]) throw new Error(`There is no table ${table}`);
  return rows[0];
}

/** The partitions of a table in the order of time; empty when it is not partitioned, as in the embedded database. */
export async function listPartitions(db: Db, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select p.name, substring(p.bounds from 'FROM \\(''([^'']+)''\\)')::timestamptz as from,
      substring(p.bounds from 'TO \\(''([^'']+)''\\)')::timestamptz as to
    from (select format('%I.%I', n.nspname, c.relname) as name, pg_get_expr(c.relpartbound, c.oid) as bounds
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
      where i.inhparent = to_regclass(${table}) and c.relpartbound is not null) p
    order by 2 nulls first`.execute(db);
  return rows;
}

/** Whether the error says that another transaction holds the lock, so that the same can succeed later. */
export const isLocked = (error: unknown): boolean => getDbError(error)?.code === LOCK_NOT_AVAILABLE;

/**
 * Runs a transaction that waits only shortly for locks, and repeats it while another one holds them.
 * @throws DbError that `isLocked` recognizes after the last attempt
 */
async function withShortLocks<T>(db: Db, attempts: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(async (tx) => {
        await run(tx, `set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        return await work(tx);
      });
    } catch (error) {
      if (!isLocked(error) || attempt === attempts) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

const lockTable = (tx: Tx, table: string): Promise<void> =>
  run(tx, `lock table ${table} in access exclusive mode`);

/** Creates a partition with the key and the storage parameters of `like`. */
async function createPartition(
  tx: Tx,
  { table, name, like }: { table: PartitionedTable; name: string; like: string },
  bounds: Pick<Partition, 'from' | 'to'>,
): Promise<void> {
  const { rows } = await sql<{ key: string; options: string | null }>`
    select pg_get_constraintdef(k.oid) as key, array_to_string(c.reloptions, ', ') as options
    from pg_class c join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.oid = ${like}::regclass`.execute(tx);
  const [{ key, options } = { key: '', options: null }] = rows;
  const parameters = options === null ? '' : ` with (${options})`;
  await run(tx, `create table ${name} partition of ${table} ${describeBounds(bounds)}${parameters}`);
  await run(tx, `alter table ${name} add ${key}`);
}

/** Partition without upper bound; it is empty while clocks are right. */
const getFutureName = (schema: string, table: PartitionedTable): string => `"${schema}"."${table}_future"`;
/** Partition without lower bound: rows from before the table was partitioned. */
const getPastName = (schema: string, table: PartitionedTable): string => `"${schema}"."${table}_past"`;

interface Definitions {
  indexes: readonly string[];
  triggers: readonly { name: string; definition: string }[];
  foreignKeys: readonly { name: string; definition: string }[];
  /** Column with generated numbers. */
  identity: { column: string; sequence: string; value: number; isCalled: boolean } | null;
  owner: string;
  /** Rights of other roles: `select`, `insert` and so on. */
  grants: readonly { role: string; rights: string }[];
}

/** Everything of a table that its columns do not say, as statements of PostgreSQL. */
async function readDefinitions(tx: Tx, table: PartitionedTable): Promise<Definitions> {
  const { rows } = await sql<
    Omit<Definitions, 'identity'> & { identity: string | null; sequence: string | null }
  >`
    select
      array(select pg_get_indexdef(indexrelid) from pg_index
        where indrelid = c.oid and not indisunique and indisvalid order by 1) as indexes,
      (select coalesce(jsonb_agg(jsonb_build_object('name', tgname, 'definition', pg_get_triggerdef(oid))), '[]')
        from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
      (select coalesce(jsonb_agg(jsonb_build_object('name', conname, 'definition', pg_get_constraintdef(oid))), '[]')
        from pg_constraint where conrelid = c.oid and contype = 'f') as "foreignKeys",
      a.attname as identity, pg_get_serial_sequence(c.relname, a.attname) as sequence,
      pg_get_userbyid(c.relowner) as owner,
      (select coalesce(jsonb_agg(jsonb_build_object('role', role, 'rights', rights)), '[]') from (
        select case g.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(g.grantee)) end as role,
          string_agg(g.privilege_type, ', ') as rights
        from aclexplode(c.relacl) g where g.grantee <> c.relowner group by g.grantee) as granted) as grants
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
    where c.oid = ${table}::regclass`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`There is no table ${table}`);
  const { identity, sequence, ...definitions } = row;
  if (identity === null || sequence === null) return { ...definitions, identity: null };
  const { rows: numbers } = await sql<{ value: number; isCalled: boolean }>`
    select last_value as value, is_called as "isCalled" from ${sql.raw(sequence)}`.execute(tx);
  const [number] = numbers;
  if (!number) throw new Error(`${sequence} has no value`);
  return { ...definitions, identity: { column: identity, sequence, ...number } };
}

/**
 * Puts a partitioned table in the place of `table`, which becomes the partition of everything before `bound`. Indexes are taken over as
 * they are; rows are read only when no check of the table has proved the bound.
 */
async function replaceTable(
  tx: Tx,
  { table, schema, bound, now }: { table: PartitionedTable; schema: string; bound: Date; now: Date },
): Promise<void> {
  const { indexes, triggers, foreignKeys, identity, owner, grants } = await readDefinitions(tx, table);
  const past = getPastName(schema, table);
  for (const { name } of triggers) await run(tx, `drop trigger "${name}" on ${table}`);
  if (identity) await run(tx, `alter table ${table} alter column ${identity.column} drop identity`);
  await run(tx, `alter table ${table} set schema "${schema}"`);
  await run(tx, `alter table "${schema}".${table} rename to "${table}_past"`);
  await run(
    tx,
    `create table ${table} (like ${past} including defaults including generated including storage including compression)
      partition by range (at)`,
  );
  await run(tx, `alter table ${table} owner to "${owner}"`);
  if (identity) {
    const { column, sequence, value, isCalled } = identity;
    await run(tx, `create sequence ${sequence} as bigint`);
    await run(tx, `alter sequence ${sequence} owner to "${owner}"`);
    await run(tx, `alter sequence ${sequence} owned by ${table}.${column}`);
    await run(tx, `alter table ${table} alter column ${column} set default nextval('${sequence}')`);
    await sql`select setval(${sequence}::regclass, ${value}::bigint, ${isCalled})`.execute(tx);
    for (const { role, rights } of grants)
      if (rights.includes('INSERT')) await run(tx, `grant usage on sequence ${sequence} to ${role}`);
  }
  for (const { role, rights } of grants) await run(tx, `grant ${rights} on ${table} to ${role}`);
  for (const { name, definition } of foreignKeys)
    await run(tx, `alter table ${table} add constraint "${name}" ${definition}`);
  for (const definition of indexes) await run(tx, definition);
  for (const { definition } of triggers) await run(tx, definition);
  await run(tx, `alter table ${table} attach partition ${past} ${describeBounds({ from: null, to: bound })}`);
  await run(tx, `alter table ${past} drop constraint if exists ${table}_before`);
  const future = getFutureName(schema, table);
  await createPartition(tx, { table, name: future, like: past }, { from: bound, to: null });
  await addMonthsTo(tx, table, schema, now);
}

async function readNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  if (!rows[0]) throw new Error('The database told no time');
  return rows[0].now;
}

/** Time from which a small table can have partitions of its own; the table is locked. */
async function findBound(tx: Tx, table: PartitionedTable, now: Date): Promise<Date> {
  const { rows } = await sql<{ last: Date | null }>`select max(at) as last from ${sql.table(table)}`.execute(
    tx,
  );
  const last = rows[0]?.last;
  return last ? getPeriodStart(table, last, 1) : getPeriodStart(table, now);
}

/** Partitions a small table; its rows are read while it is locked. */
const replaceSmallTable = (
  db: Db,
  table: PartitionedTable,
  schema: string,
  attempts: number,
): Promise<void> =>
  withShortLocks(db, attempts, async (tx) => {
    await lockTable(tx, table);
    const { isPartitioned } = await readTable(tx, table);
    if (isPartitioned) return;
    const now = await readNow(tx);
    await replaceTable(tx, { table, schema, bound: await findBound(tx, table, now), now });
  });

/**
 * Partitions a large table in use: a check is added without reading the rows, proved while others read and write, and taken as the proof
 * of the bound. The check is removed when the table cannot be locked in the end, because it would refuse rows after the bound.
 */
async function replaceLargeTable(
  db: Db,
  table: PartitionedTable,
  schema: string,
  attempts: number,
): Promise<void> {
  const now = await readNow(db);
  const bound = getPeriodStart(table, new Date(now.getTime() + BOUND_DISTANCE_DAYS * 86_400_000), 1);
  await withShortLocks(db, attempts, async (tx) => {
    await dropCheck(tx, table);
    await run(
      tx,
      `alter table ${table} add constraint ${table}_before check (at < '${bound.toISOString()}') not valid`,
    );
  });
  try {
    await run(db, `alter table ${table} validate constraint ${table}_before`);
    await withShortLocks(db, attempts, async (tx) => {
      await lockTable(tx, table);
      await replaceTable(tx, { table, schema, bound, now });
    });
  } catch (error) {
    await withShortLocks(db, attempts, (tx) => dropCheck(tx, table)).catch((failure: unknown) => {
      // The check stays for now; the task of the partitions drops it (removeLeftCheck).
      if (!isLocked(failure)) throw failure;
    });
    throw error;
  }
}

const dropCheck = (tx: Tx, table: PartitionedTable): Promise<void> =>
  run(tx, `alter table ${table} drop constraint if exists ${table}_before`);

/** Advisory lock of the process that partitions; no other lock of the service uses the key. */
const PARTITION_LOCK_KEY = 7_406;

/** Drops the check of a process that ended while it partitioned the table, because it would refuse rows after its bound. */
async function removeLeftCheck(db: Db, table: PartitionedTable, attempts: number): Promise<void> {
  const { rows } = await sql<{ isThere: boolean }>`
    select exists (select from pg_constraint where conrelid = to_regclass(${table}) and conname = ${`${table}_before`})
      as "isThere"`.execute(db);
  if (rows[0]?.isThere !== true) return;
  await withShortLocks(db, attempts, async (tx) => {
    const { rows: locks } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(${PARTITION_LOCK_KEY}::bigint) as "isOurs"`.execute(tx);
    if (locks[0]?.isOurs === true) await dropCheck(tx, table);
  });
}

/**
 * Partitions the tables that are not yet, with a connection of its own without statement timeout. Other processes, also of the version
 * before, read and write meanwhile. A table that is in use by a long transaction, belongs to another role, or is large and has rows of
 * the future stays as it is until the next call, and all do when the role may not create a schema; `steward doctor` names them.
 */
export async function partitionTables(
  db: Db,
  { maxLockedScanBytes = MAX_LOCKED_SCAN_BYTES, attempts = 20 } = {},
): Promise<void> {
  await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${PARTITION_LOCK_KEY}::bigint) as "isOurs"`.execute(connection);
    if (rows[0]?.isOurs !== true) return;
    try {
      for (const table of PARTITIONED_TABLES)
        await partitionTable(connection, table, { maxLockedScanBytes, attempts });
    } finally {
      await sql`select pg_advisory_unlock(${PARTITION_LOCK_KEY}::bigint)`.execute(connection);
    }
  });
}

async function partitionTable(
  db: Db,
  table: PartitionedTable,
  { maxLockedScanBytes, attempts }: { maxLockedScanBytes: number; attempts: number },
): Promise<void> {
  const { isPartitioned, isOwner, bytes } = await readTable(db, table);
  if (isPartitioned || !isOwner) return;
  const schema = await readSchema(db);
  const replace = bytes > maxLockedScanBytes ? replaceLargeTable : replaceSmallTable;
  try {
    await run(db, `create schema if not exists "${schema}"`);
    await replace(db, table, schema, attempts);
  } catch (error) {
    if (!OBSTACLES.includes(getDbError(error)?.code ?? '')) throw error;
  }
}

/**
 * Makes the partition without upper bound the one of its first period, with a new one behind it, until `MONTHS_AHEAD` months are in such
 * partitions. If rows have come into it, because none was made for months, it becomes that of everything up to the end of the current
 * period. Rows of clocks that are wrong stay behind the last period.
 */
async function addMonthsTo(tx: Tx, table: PartitionedTable, schema: string, now: Date): Promise<void> {
  const future = getFutureName(schema, table);
  for (;;) {
    const last = (await listPartitions(tx, table)).at(-1);
    if (!last?.from) throw new Error(`${table} has no partition without end`);
    if (last.from >= addMonths(now, MONTHS_AHEAD + 1)) return;
    const { rows } = await sql<{ hasRows: boolean }>`
      select exists (select from ${sql.raw(future)}) as "hasRows"`.execute(tx);
    const next = getPeriodStart(table, last.from, 1);
    const end = rows[0]?.hasRows === true && next <= now ? getPeriodStart(table, now, 1) : next;
    const month = `${table}_${describeMonth(last.from)}`;
    await run(tx, `alter table ${table} detach partition ${future}`);
    await run(tx, `alter table ${future} rename to "${month}"`);
    const name = `"${schema}"."${month}"`;
    await createPartition(tx, { table, name: future, like: name }, { from: end, to: null });
    await moveRowsFrom(tx, name, future, end);
    await run(
      tx,
      `alter table ${table} attach partition ${name} ${describeBounds({ from: last.from, to: end })}`,
    );
  }
}

/** Moves rows of a time and later directly to another partition: triggers of the table count what is written through it. */
async function moveRowsFrom(tx: Tx, from: string, to: string, time: Date): Promise<void> {
  const { rows } = await sql<{ columns: string }>`
    select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
    where attrelid = ${from}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(tx);
  const columns = rows[0]?.columns ?? '';
  await run(
    tx,
    `with moved as (delete from ${from} where at >= '${time.toISOString()}' returning ${columns})
      insert into ${to} (${columns}) select ${columns} from moved`,
  );
}

/**
 * Makes the partitions of the coming months. Does nothing when they exist, and when the table belongs to another role; of a table that is
 * not partitioned it removes what an interrupted attempt left.
 * @throws DbError that `isLocked` recognizes when the table is in use by a long transaction
 */
export async function addPartitions(db: Db, table: PartitionedTable, attempts = 5): Promise<void> {
  const { isPartitioned, isOwner } = await readTable(db, table);
  if (!isOwner) return;
  if (!isPartitioned) return removeLeftCheck(db, table, attempts);
  const now = await readNow(db);
  const last = (await listPartitions(db, table)).at(-1);
  if (last?.from && last.from >= addMonths(now, MONTHS_AHEAD + 1)) return;
  const schema = await readSchema(db);
  await withShortLocks(db, attempts, async (tx) => {
    await lockTable(tx, table);
    await addMonthsTo(tx, table, schema, now);
  });
}

/**
 * Drops the oldest partitions that end before a time, and gives their range to a new partition without lower bound. Rows are deleted
 * before by the retention of the table, which also keeps counts and seals. Events have neither (docs/decisions/0095): their partition is
 * dropped with the rows that it still has, if the offsets that are left have no gaps.
 * @returns the number of dropped partitions
 * @throws DbError that `isLocked` recognizes when the table is in use by a long transaction
 */
export async function dropOldPartitions(
  db: Db,
  table: PartitionedTable,
  before: Date,
  attempts = 5,
): Promise<number> {
  const { isOwner } = await readTable(db, table);
  if (!isOwner) return 0;
  const old: Partition[] = [];
  for (const partition of await listPartitions(db, table)) {
    if (partition.to === null || partition.to > before || !(await isDroppable(db, table, partition))) break;
    old.push(partition);
  }
  const end = old.at(-1)?.to;
  const [first] = old;
  if (!first || !end) return 0;
  // The empty partition without lower bound alone: there is nothing that could be merged with it.
  if (old.length === 1 && (await isEmpty(db, first))) return 0;
  const schema = await readSchema(db);
  return withShortLocks(db, attempts, async (tx) => {
    // The partitions first: what is written to them in the meantime is found before others wait for the table.
    for (const partition of old) await run(tx, `lock table ${partition.name} in share mode`);
    for (const partition of old) if (!(await isDroppable(tx, table, partition))) return 0;
    await lockTable(tx, table);
    const past = getPastName(schema, table);
    await run(tx, `alter table ${past} rename to "${table}_dropped"`);
    const dropped = `"${schema}"."${table}_dropped"`;
    const names = old.map(({ from, name }) => (from === null ? dropped : name));
    for (const name of names) await run(tx, `alter table ${table} detach partition ${name}`);
    await createPartition(tx, { table, name: past, like: dropped }, { from: null, to: end });
    await run(tx, `drop table ${names.join(', ')}`);
    return old.length;
  });
}

/** Whether a partition that retention has passed may be dropped, with all older ones. */
const isDroppable = async (db: Db, table: PartitionedTable, partition: Partition): Promise<boolean> =>
  (await isEmpty(db, partition)) || (table === 'topic_event' && (await hasOldestOffsets(db, partition)));

/**
 * A partition may be dropped with its events if these precede those of later ones in their topics, and no later batch of a custom topic
 * names one of them. A clock that was put back gives a later event an earlier time; dropping it would leave a gap.
 */
async function hasOldestOffsets(db: Db, { name, to }: Partition): Promise<boolean> {
  const { rows } = await sql<{ isPrefix: boolean }>`
    select not exists (
      select from topic t cross join lateral (
        select p.off from ${sql.raw(name)} p where p.site_id = t.site_id and p.topic_id = t.topic_id order by p.off desc limit 1) last
      where exists (select from topic_event e
        where e.site_id = t.site_id and e.topic_id = t.topic_id and e.off < last.off and e.at >= ${to}::timestamptz)
      or t.name = 'default-data' and exists (select from topic c cross join lateral (
          select e.sources[1] as source from topic_event e where e.site_id = c.site_id and e.topic_id = c.topic_id
            and e.at >= ${to}::timestamptz and e.sources is not null order by e.off limit 1) first
        where c.site_id = t.site_id and left(c.name, 8) <> 'default-' and first.source <= last.off))
      as "isPrefix"`.execute(db);
  return rows[0]?.isPrefix ?? false;
}

async function isEmpty(db: Db, { name }: Partition): Promise<boolean> {
  const { rows } = await sql<{ isEmpty: boolean }>`
    select not exists (select from ${sql.raw(name)}) as "isEmpty"`.execute(db);
  return rows[0]?.isEmpty ?? false;
}
