import { Client } from 'pg';

/** What `steward doctor` reads of a PostgreSQL server. */
export interface ServerState {
  /** As in `server_version_num`, such as 150004. */
  version: number;
  isReadOnly: boolean;
  missingExtensions: readonly string[];
  /** Whether the role may create the missing extensions. */
  canCreateExtensions: boolean;
  /** Time of the server minus time of this host; the time of the query is subtracted as far as it is known. */
  clockDifferenceMs: number;
}

const REQUIRED_EXTENSIONS = ['pg_trgm', 'btree_gin'];

const INSPECT = `select current_setting('server_version_num')::int as version,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as read_only,
    coalesce((select array_agg(name) from unnest($1::text[]) as required(name)
      where not exists (select from pg_extension where extname = name)), '{}') as missing,
    has_database_privilege(current_database(), 'create')
      and not exists (select from unnest($1::text[]) as required(name)
        where not exists (select from pg_available_extensions where pg_available_extensions.name = required.name)) as can_create,
    extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`;

interface StateRow {
  version: number;
  read_only: boolean;
  missing: string[];
  can_create: boolean;
  now_ms: number;
}

/** Reads the state of the server with a connection of its own, without migrating. @throws Error */
export async function inspectServer(databaseUrl: string, timeoutMs: number): Promise<ServerState> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const sentAt = Date.now();
    const { rows } = await client.query<StateRow>(INSPECT, [REQUIRED_EXTENSIONS]);
    const answeredAt = Date.now();
    const [row] = rows;
    if (!row) throw new Error('The server did not describe itself');
    const early = Math.min(0, row.now_ms - sentAt);
    const late = Math.max(0, row.now_ms - answeredAt);
    return {
      version: row.version,
      isReadOnly: row.read_only,
      missingExtensions: row.missing,
      canCreateExtensions: row.can_create,
      clockDifferenceMs: early + late,
    };
  } finally {
    await client.end();
  }
}
