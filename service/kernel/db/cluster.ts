/**
 * A cluster of PostgreSQL servers with the Citus extension (docs/scaling.md, docs/decisions/0092): where the rows of each table are, and the
 * set-up of a migrated database. Statements of areas do not know of it.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { dbErrorCodes, getDbError } from './driver/errors.ts';
import type { Tables } from './tables/index.ts';

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

/** Tables whose rows are on the nodes, those of a site on one of them. Referenced ones precede those that refer to them. */
export const DISTRIBUTED_TABLES = [
  'entry_type',
  'field',
  'choice_value',
  'field_counter',
  'field_job',
  'calculation_failure',
  'schema_stamp',
  'schema_version',
  'entry_type_definition',
  'entry_type_version',
  'entry',
  'entry_block',
  'entry_multi',
  'entry_text',
  'entry_change',
  'cell_log',
  'saved_view',
  'saved_view_default',
  'ri_setting',
  'ri_user',
  'ri_exclusion',
  'ri_item',
  'ri_item_user',
  'ri_relation',
  'ri_run',
  'ri_erasure',
] as const;

/** Tables of which every node has all rows, because entries are read with them. */
export const REFERENCE_TABLES = ['account'] as const;

const anyOf = (tables: readonly string[]): string => `"?(?:${tables.join('|')})\\b`;

/** Matches statements that use rows of sites, also by the trigger of a member who leaves. */
export const USE_OF_SITE_ROWS = new RegExp(
  `\\b(?:from|join|into|update|using|only|copy)\\s+${anyOf(DISTRIBUTED_TABLES)}|\\bdelete\\s+from\\s+membership\\b`,
  'i',
);
/** Matches statements that create a site, whose trigger writes rows of it. */
export const USE_OF_NEW_SITE = /\binsert\s+into\s+site\b/i;
/** Matches statements that change rows on all nodes. */
export const CHANGE_OF_ACCOUNTS = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from)\\s+${anyOf(REFERENCE_TABLES)}`,
  'i',
);

/**
 * Tables of the coordinator whose rows no transaction changes together with rows of a node: secrets, which are found by their hash before
 * the site is known, and what belongs to the installation. All other tables that are not named here stay on the coordinator too (the
 * reasons are in decision 0092), and their changes are committed together with those of a node.
 */
export const SEPARATE_TABLES: readonly string[] = [
  'session',
  'api_key',
  'api_key_use',
  'access_token',
  'one_time_link',
  'agent_key',
  'agent_token',
  'publication_subscriber',
  'authenticator',
  'passkey',
  'passkey_challenge',
  'recovery_code',
  'known_device',
  'identity_provider',
  'identity_attempt',
  'platform_administrator',
  'installation_value',
  'migration_phase',
  'service_process',
  'user_write',
  'throttle',
];

/** Settings of the database on the coordinator, for the sessions of the service. */
export const CLUSTER_SETTINGS = [
  // Later migrations add triggers, and shards are rebuilt with theirs.
  'citus.enable_unsafe_triggers = on',
  // Accounts are changed on the coordinator only, so that their locks need no worker.
  'citus.allow_modifications_from_workers_to_replicated_tables = off',
  // A session that gives up a statement waits for the worker of it, to cancel it there, for up to twice this time.
  'citus.node_connection_timeout = 5000',
] as const;

/** A reason for which a cluster cannot be set up, for the person who does it. */
export class ClusterError extends Error {
  override name = 'ClusterError';
}

/** Executes text that is made of names of the catalog only. */
async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}

/** Whether the database is one of a cluster. */
export async function isOfCluster(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as "isThere"`.execute(db);
  return rows[0]?.isThere ?? false;
}

/** @throws ClusterError where the database has no Citus or is not the coordinator */
async function requireCoordinator(db: Db): Promise<void> {
  if (!(await isOfCluster(db)))
    throw new ClusterError(
      "The extension citus is missing in this database. Load it on every node (shared_preload_libraries = 'citus'), create it there in " +
        'the database of the same name (create extension citus), and add the nodes on the coordinator (citus_add_node): docs/scaling.md.',
    );
  const { rows: groups } = await sql<{ group: number }>`
    select groupid as "group" from pg_dist_local_group`.execute(db);
  if (groups[0]?.group !== 0)
    throw new ClusterError(
      'This database is a worker of the cluster. DATABASE_URL must name the coordinator.',
    );
}

interface NodeAddress {
  host: string;
  port: number;
  isCoordinator: boolean;
  isActive: boolean;
}

interface ClusterNode extends NodeAddress {
  /** Shards of one table; each has the rows of some sites. */
  shards: number;
  sites: number;
  /** Distributed tables with their indexes. */
  bytes: number;
}

interface ClusterStatus {
  nodes: ClusterNode[];
  /** The node of each site, as `host:port`. */
  sites: { slug: string; node: string }[];
  /** Tables that are to be distributed and are not. */
  missing: string[];
}

async function listNodes(db: Db): Promise<NodeAddress[]> {
  const { rows } = await sql<NodeAddress>`
    select nodename as host, nodeport as port, groupid = 0 as "isCoordinator", isactive as "isActive"
    from pg_dist_node order by groupid, nodename, nodeport`.execute(db);
  return rows;
}

/** The tables of the database that are distributed or on all nodes. */
async function listDistributed(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where p.partmethod in ('h', 'n') and c.relnamespace = current_schema()::regnamespace`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Whether `initCluster` has distributed tables of the database. */
export const isDistributed = async (db: Db): Promise<boolean> =>
  (await isOfCluster(db)) && (await listDistributed(db)).size > 0;

interface Definition {
  table: string;
  name: string;
  definition: string;
}

type ForeignKey = Definition & { to: string };

/** Foreign keys of which an end is not on the coordinator only; those with two distributed ends can stay. */
async function listForeignKeys(tx: Tx): Promise<ForeignKey[]> {
  const names = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES];
  const { rows } = await sql<ForeignKey>`
    select c.relname as table, k.conname as name, f.relname as to, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
    where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = current_schema()::regnamespace
      and (c.relname = any(${names}) or f.relname = any(${names}))
    order by 1, 2`.execute(tx);
  return rows;
}

/** Makes generated numbers defaults of a sequence with the same name and value: Citus distributes only bigint identities. */
async function replaceIdentity(tx: Tx, table: string): Promise<void> {
  const { rows } = await sql<{ column: string; sequence: string }>`
    select quote_ident(attname) as column, pg_get_serial_sequence(${table}, attname) as sequence
    from pg_attribute where attrelid = ${table}::regclass and attidentity <> ''`.execute(tx);
  for (const { column, sequence } of rows) {
    const { rows: values } = await sql<{ value: number; isCalled: boolean }>`
      select last_value as value, is_called as "isCalled" from ${sql.raw(sequence)}`.execute(tx);
    // Columns of other tables may draw from the same sequence.
    const { rows: others } = await sql<{ table: string; column: string; expression: string }>`
      select d.adrelid::regclass::text as table, quote_ident(a.attname) as column, pg_get_expr(d.adbin, d.adrelid) as expression
      from pg_depend p join pg_attrdef d on d.oid = p.objid
        join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where p.classid = 'pg_attrdef'::regclass and p.refobjid = ${sequence}::regclass`.execute(tx);
    for (const other of others)
      await run(tx, `alter table ${other.table} alter column ${other.column} drop default`);
    await run(tx, `alter table ${table} alter column ${column} drop identity`);
    await run(tx, `create sequence ${sequence} as bigint`);
    await run(tx, `alter sequence ${sequence} owned by ${table}.${column}`);
    await run(tx, `alter table ${table} alter column ${column} set default nextval('${sequence}')`);
    await sql`select setval(${sequence}::regclass, ${values[0]?.value ?? 1}::bigint, ${values[0]?.isCalled ?? false})`.execute(
      tx,
    );
    for (const other of others)
      await run(
        tx,
        `alter table ${other.table} alter column ${other.column} set default ${other.expression}`,
      );
  }
}

interface Trigger extends Definition {
  function: string;
  source: string;
}

async function listTriggers(tx: Tx, table: string): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select ${table} as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition, p.oid::regproc::text as function, p.prosrc as source
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = ${table}::regclass and not t.tgisinternal order by 2`.execute(tx);
  return rows;
}

/**
 * Function that finds the shard of a table beside a shard of another one, which has the same sites. Counts are written there: a statement in
 * a trigger of a shard can use its transition tables only with tables of the same server.
 */
const SHARD_FUNCTION = `create or replace function shard_beside(target regclass, shard name) returns text language sql stable as $$
  select format('%I.%I', c.relnamespace::regnamespace, c.relname || '_' || beside.shardid)
  from pg_dist_shard own join pg_dist_shard beside on beside.logicalrelid = target and beside.shardminvalue = own.shardminvalue
    join pg_class c on c.oid = target
  where own.shardid = substring(shard from '_(\\d+)$')::bigint $$`;

const BODY = /^\s*begin\s(?<statements>[\s\S]*)\sreturn null;\s*end\s*$/;
const WRITTEN = new RegExp(`\\b(?:${DISTRIBUTED_TABLES.join('|')})\\b`, 'g');

/**
 * Rewrites the function of a trigger that counts rows so that it writes the shards beside the one with the rows.
 * @throws Error for a function that does more than write statements
 */
export function distributeTriggerFunction(name: string, source: string, schema: string): string {
  const statements = BODY.exec(source)?.groups?.['statements'];
  if (statements === undefined) throw new Error(`The trigger function ${name} cannot be distributed`);
  const tables = [...new Set(statements.match(WRITTEN))];
  const replacements = tables.map(
    (table) =>
      `statements := regexp_replace(statements, '\\m${table}\\M', shard_beside('${schema}.${table}', tg_table_name), 'g');`,
  );
  return `create or replace function ${name}() returns trigger language plpgsql
    set citus.enable_manual_changes_to_shards = on as $trigger$
    declare statements text := $statements$${statements}$statements$;
    begin ${replacements.join(' ')} execute statements; return null; end $trigger$`;
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

export interface ClusterChanges {
  /** Tables that were distributed now. */
  distributed: string[];
  /** Foreign keys between tables of the coordinator and distributed ones, which no longer exist. */
  droppedForeignKeys: string[];
}

/**
 * Makes transactions that change the coordinator and a node commit on both or on neither. Citus prepares a transaction on the node only if it
 * knows that another server takes part, which is the case after a statement on a table of the coordinator that it manages.
 */
async function commitTogether(tx: Tx): Promise<void> {
  await run(tx, 'create table cluster_commit (id int primary key)');
  await sql`select citus_add_local_table_to_metadata('cluster_commit'::regclass)`.execute(tx);
  await run(
    tx,
    `create function cluster_commit() returns trigger language plpgsql as $$
      begin update cluster_commit set id = id where id = 0; return null; end $$`,
  );
  const others = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...SEPARATE_TABLES, 'cluster_commit'];
  const { rows } = await sql<{ table: string }>`
    select relname as table from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not relispartition and not relname = any(${others}) and not relname like 'kysely%' order by 1`.execute(
    tx,
  );
  for (const { table } of rows)
    await run(
      tx,
      `create trigger cluster_commit after insert or update or delete on ${table} for each statement execute function cluster_commit()`,
    );
}

/** Deletes rows on the nodes with the row of the coordinator that they refer to, in the place of a foreign key that does. */
async function cascadeFromCoordinator(tx: Tx, { table, to, definition }: ForeignKey): Promise<void> {
  const columns = /FOREIGN KEY \((?<own>[^)]+)\) REFERENCES \S+?\((?<other>[^)]+)\)/.exec(definition)?.groups;
  const [own = [], other = []] = [columns?.['own']?.split(', '), columns?.['other']?.split(', ')];
  const condition = own.map((column, at) => `${column} = old.${other[at]}`).join(' and ');
  await run(
    tx,
    `create function cluster_cascade_${table}() returns trigger language plpgsql as $$
      begin delete from ${table} where ${condition}; return null; end $$`,
  );
  await run(
    tx,
    `create trigger cluster_cascade_${table} after delete on ${to} for each row execute function cluster_cascade_${table}()`,
  );
}

/**
 * Distributes the tables by site over the nodes of the cluster, in one transaction; tables that are distributed already stay as they are.
 * @throws ClusterError where the database is not the coordinator of a cluster
 */
export async function initCluster(db: Db): Promise<ClusterChanges> {
  await requireCoordinator(db);
  const nodes = await listNodes(db);
  if (!nodes.some(({ isCoordinator, isActive }) => !isCoordinator && isActive))
    throw new ClusterError(
      "The cluster has no worker. Add one on the coordinator: select citus_add_node('host', 5432)",
    );
  const { rows } = await sql<{ schema: string; database: string }>`
    select quote_ident(current_schema()) as schema, quote_ident(current_database()) as database`.execute(db);
  const [{ schema, database } = { schema: 'public', database: '' }] = rows;
  for (const setting of CLUSTER_SETTINGS) await run(db, `alter database ${database} set ${setting}`);
  const present = await listDistributed(db);
  const missing = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES].filter((table) => !present.has(table));
  if (missing.length === 0) return { distributed: [], droppedForeignKeys: [] };
  return db.transaction().execute(async (tx) => {
    await run(tx, 'set local citus.enable_unsafe_triggers = on');
    await run(tx, "set local citus.multi_shard_modify_mode = 'sequential'");
    await run(tx, 'set local client_min_messages = warning');
    await run(tx, SHARD_FUNCTION);
    const keys = (await listForeignKeys(tx)).filter(
      ({ table, to }) => !(present.has(table) && present.has(to)),
    );
    for (const { table, name } of keys) await run(tx, `alter table ${table} drop constraint "${name}"`);
    const triggers: Trigger[] = [];
    for (const table of missing) {
      const found = await listTriggers(tx, table);
      triggers.push(...found);
      for (const { name } of found) await run(tx, `drop trigger "${name}" on ${table}`);
      await replaceIdentity(tx, table);
      if (isOneOf(REFERENCE_TABLES, table))
        await sql`select create_reference_table(${table}::regclass)`.execute(tx);
      else {
        const beside = table === DISTRIBUTED_TABLES[0] ? 'none' : DISTRIBUTED_TABLES[0];
        await sql`select create_distributed_table(${table}::regclass, 'site_id', colocate_with => ${beside})`.execute(
          tx,
        );
      }
      await sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.execute(tx);
    }
    const dropped = [];
    for (const key of keys) {
      const { table, name, to, definition } = key;
      const refersFromNodes = isOneOf(DISTRIBUTED_TABLES, table);
      if (refersFromNodes && isOneOf(DISTRIBUTED_TABLES, to))
        await run(tx, `alter table ${table} add constraint "${name}" ${definition}`);
      else {
        dropped.push(`${table}.${name}`);
        if (refersFromNodes && definition.endsWith('ON DELETE CASCADE'))
          await cascadeFromCoordinator(tx, key);
      }
    }
    for (const trigger of triggers) {
      await run(tx, distributeTriggerFunction(trigger.function, trigger.source, schema));
      await run(tx, trigger.definition);
    }
    if (present.size === 0) await commitTogether(tx);
    return { distributed: [...missing], droppedForeignKeys: dropped };
  });
}

/** Time that a worker has to accept a connection and to answer on it, in a check. */
const CHECK_TIMEOUT_MS = 2_000;

/**
 * Whether a worker answers on a new connection. One that refuses it answers: its statements fail by themselves. A connection that the session
 * kept may be used instead, on which only the time limit of the statement ends the wait.
 */
async function isAnswering(db: Db, { host, port }: NodeAddress): Promise<boolean> {
  try {
    return await db.transaction().execute(async (tx) => {
      await run(tx, `set local citus.node_connection_timeout = ${CHECK_TIMEOUT_MS}`);
      await run(tx, 'set local citus.max_cached_conns_per_worker = 0');
      await run(tx, `set local statement_timeout = ${CHECK_TIMEOUT_MS + 500}`);
      const { rows } = await sql<{ answers: boolean; seconds: number }>`
        select citus_check_connection_to_node(${host}, ${port}::int) as answers,
          extract(epoch from clock_timestamp() - statement_timestamp())::float8 as seconds`.execute(tx);
      return rows.some(({ answers, seconds }) => answers || seconds < (CHECK_TIMEOUT_MS / 1_000) * 0.9);
    });
  } catch (error) {
    if (getDbError(error)?.code === dbErrorCodes.statementTimeout) return false;
    throw error;
  }
}

/** Workers that do not answer, and the sites whose rows they have. */
export interface LostWorkers {
  count: number;
  siteIds: ReadonlySet<number>;
}

/** Asks all workers at once, through the coordinator. @throws DbError */
export async function findLostWorkers(db: Db): Promise<LostWorkers> {
  const { rows: workers } = await sql<NodeAddress & { group: number }>`
    select groupid as "group", nodename as host, nodeport as port, false as "isCoordinator", isactive as "isActive"
    from pg_dist_node where isactive and groupid <> 0 and noderole = 'primary'`.execute(db);
  const answers = await Promise.all(workers.map((worker) => isAnswering(db, worker)));
  const lost = workers.filter((_, at) => answers[at] !== true).map(({ group }) => group);
  if (lost.length === 0) return { count: 0, siteIds: new Set() };
  const { rows: sites } = await sql<{ siteId: number }>`
    with located as materialized (select s.site_id, ${SHARD_OF_SITE} as shardid from site s)
    select l.site_id as "siteId" from located l join pg_dist_placement p on p.shardid = l.shardid
    where p.groupid = any(${lost}::int[])`.execute(db);
  return { count: lost.length, siteIds: new Set(sites.map(({ siteId }) => siteId)) };
}

/** SQL expression: the shard of a site, which stands for its shards of all tables. */
const SHARD_OF_SITE = sql`get_shard_id_for_distribution_column('entry', s.site_id)`;

/**
 * The nodes, what they hold, and where the sites are.
 * @throws ClusterError where the database is not the coordinator of a cluster
 */
export async function readClusterStatus(db: Db): Promise<ClusterStatus> {
  await requireCoordinator(db);
  const addresses = await listNodes(db);
  const present = await listDistributed(db);
  const missing = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES].filter((table) => !present.has(table));
  if (!present.has('entry'))
    return {
      nodes: addresses.map((node) => ({ ...node, shards: 0, sites: 0, bytes: 0 })),
      sites: [],
      missing,
    };
  const { rows: sites } = await sql<{ slug: string; host: string; port: number }>`
    with located as materialized (select s.slug, ${SHARD_OF_SITE} as shardid from site s)
    select l.slug, n.nodename as host, n.nodeport as port from located l
      join pg_dist_placement p on p.shardid = l.shardid join pg_dist_node n on n.groupid = p.groupid
    order by l.slug`.execute(db);
  const { rows: shards } = await sql<{ host: string; port: number; shards: number; bytes: number }>`
    select nodename as host, nodeport as port, count(*) filter (where table_name = 'entry'::regclass)::int as shards,
      coalesce(sum(shard_size), 0)::float8 as bytes
    from citus_shards where citus_table_type = 'distributed' group by 1, 2`.execute(db);
  return {
    nodes: addresses.map((node) => {
      const isHere = ({ host, port }: Pick<NodeAddress, 'host' | 'port'>) =>
        host === node.host && port === node.port;
      const held = shards.find(isHere);
      return {
        ...node,
        shards: held?.shards ?? 0,
        sites: sites.filter(isHere).length,
        bytes: held?.bytes ?? 0,
      };
    }),
    sites: sites.map(({ slug, host, port }) => ({ slug, node: `${host}:${port}` })),
    missing,
  };
}

/**
 * Gives a site shards of its own, during which writes to the sites of its shard wait, and moves them to a node; then writes to the site wait at the
 * end of the copy only. Citus 13.2 does not end a split of shards that are updated meanwhile, so that the first step waits as a whole.
 * @throws ClusterError for an unknown site or node
 */
export async function moveSite(db: Db, slug: string, node: string): Promise<{ site: string; node: string }> {
  await requireCoordinator(db);
  const target = (await listNodes(db)).find(({ host, port }) => `${host}:${port}` === node);
  if (!target) throw new ClusterError(`The cluster has no node ${node}: see steward cluster status`);
  if (!(await listDistributed(db)).has('entry'))
    throw new ClusterError('The tables are not distributed yet: steward cluster init');
  const readShard = async () => {
    const { rows } = await sql<{
      siteId: number;
      shard: number;
      isAlone: boolean;
      host: string;
      port: number;
    }>`
      with located as materialized (select s.site_id, ${SHARD_OF_SITE} as shardid from site s where s.slug = ${slug})
      select l.site_id as "siteId", l.shardid as shard, d.shardminvalue = d.shardmaxvalue as "isAlone", n.nodename as host, n.nodeport as port
      from located l join pg_dist_shard d on d.shardid = l.shardid join pg_dist_placement p on p.shardid = l.shardid
        join pg_dist_node n on n.groupid = p.groupid`.execute(db);
    const [row] = rows;
    if (!row) throw new ClusterError(`There is no site ${slug}`);
    return row;
  };
  const { siteId, isAlone } = await readShard();
  if (!isAlone)
    await sql`select isolate_tenant_to_new_shard('entry'::regclass, ${siteId}::int, 'CASCADE', shard_transfer_mode => 'block_writes')`.execute(
      db,
    );
  const { shard, host, port } = await readShard();
  if (host !== target.host || port !== target.port)
    await sql`select citus_move_shard_placement(${shard}::bigint, ${host}, ${port}::int, ${target.host}, ${target.port}::int, 'auto')`.execute(
      db,
    );
  return { site: slug, node };
}
