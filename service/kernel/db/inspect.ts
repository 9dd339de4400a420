import { Client } from 'pg';
import { PARTITIONED_TABLES } from './partitions.ts';

/** What `steward doctor` reads of a PostgreSQL server. */
export interface ServerState {
  /** As in `server_version_num`, such as 150004. */
  version: number;
  /** Encoding of the database, such as `UTF8`. */
  encoding: string;
  isReadOnly: boolean;
  /** The tables exist, or the role may create them. */
  canHaveTables: boolean;
  missingExtensions: readonly string[];
  /** Whether the role may create the missing extensions. */
  canCreateExtensions: boolean;
  /** Time of the server minus time of this host; the time of the query is subtracted as far as it is known. */
  clockDifferenceMs: number;
  /** Logs that could not be partitioned yet (partitions.ts). */
  plainTables: readonly string[];
}

/** Advice for a database of another encoding than UTF8. */
export const CREATE_UTF8_DATABASE =
  "Create another one: create database steward encoding 'UTF8' template template0;";

const REQUIRED_EXTENSIONS = ['pg_trgm', 'btree_gin'];

const INSPECT = `select current_setting('server_version_num')::int as version, getdatabaseencoding() as encoding,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as read_only,
    to_regclass('kysely_migration') is not null or coalesce(has_schema_privilege(current_schema(), 'create'), false) as can_have_tables,
    coalesce((select array_agg(name) from unnest($1::text[]) as required(name)
      where not exists (select from pg_extension where extname = name)), '{}') as missing,
    has_database_privilege(current_database(), 'create')
      and not exists (select from unnest($1::text[]) as required(name)
        where not exists (select from pg_available_extensions where pg_available_extensions.name = required.name)) as can_create,
    array(select relname::text from pg_class
      where oid = any(array(select to_regclass(name) from unnest($2::text[]) as name)) and relkind = 'r' order by 1) as plain,
    extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`;

interface StateRow {
  version: number;
  encoding: string;
  read_only: boolean;
  can_have_tables: boolean;
  missing: string[];
  can_create: boolean;
  now_ms: number;
  plain: string[];
}

/** What `steward doctor` reads of a standby and its primary. */
export interface StandbyState {
  isInRecovery: boolean;
  /** Whether it is a copy of the same cluster. */
  isOfPrimary: boolean;
  /** Bytes of the log of the primary that it has not replayed. */
  lagBytes: number;
}

const INSPECT_STANDBY = `select system_identifier::text as system, pg_is_in_recovery() as "isInRecovery",
    pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as position
  from pg_control_system()`;

/** Reads the state of a standby, with a connection of its own to both servers. @throws Error */
export async function inspectStandby(
  readUrl: string,
  databaseUrl: string,
  timeoutMs: number,
): Promise<StandbyState> {
  const inspect = (url: string) =>
    withClient(url, timeoutMs, async (client) => {
      const { rows } = await client.query<{ system: string; isInRecovery: boolean; position: number }>(
        INSPECT_STANDBY,
      );
      const [row] = rows;
      if (!row) throw new Error('The server did not describe itself');
      return row;
    });
  // First the primary: the standby is not shown behind by what was written between the two.
  const primary = await inspect(databaseUrl);
  const standby = await inspect(readUrl);
  return {
    isInRecovery: standby.isInRecovery,
    isOfPrimary: standby.system === primary.system,
    lagBytes: Math.max(0, primary.position - standby.position),
  };
}

async function withClient<T>(
  databaseUrl: string,
  timeoutMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Reads the state of the server with a connection of its own, without migrating. @throws Error */
export const inspectServer = (databaseUrl: string, timeoutMs: number): Promise<ServerState> =>
  withClient(databaseUrl, timeoutMs, async (client) => {
    const sentAt = Date.now();
    const { rows } = await client.query<StateRow>(INSPECT, [REQUIRED_EXTENSIONS, PARTITIONED_TABLES]);
    const answeredAt = Date.now();
    const [row] = rows;
    if (!row) throw new Error('The server did not describe itself');
    const early = Math.min(0, row.now_ms - sentAt);
    const late = Math.max(0, row.now_ms - answeredAt);
    return {
      version: row.version,
      encoding: row.encoding,
      isReadOnly: row.read_only,
      canHaveTables: row.can_have_tables,
      missingExtensions: row.missing,
      canCreateExtensions: row.can_create,
      clockDifferenceMs: early + late,
      plainTables: row.plain,
    };
  });
