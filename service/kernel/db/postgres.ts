/** PostgreSQL by DATABASE_URL. */
import pg from 'pg';
import type { Line, Source } from './dialect.ts';
import { decoderOf, encode } from './values.ts';

/** A line of one pool client: values in and out as text, the same way as on the embedded database. */
function lineOf(client: pg.PoolClient): Line {
  return {
    async run(sql, parameters) {
      const result = await client.query<Record<string, unknown>>(sql, parameters.map(encode));
      const command = result.command ?? '';
      const writes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
      return { rows: result.rows, command, affected: writes ? (result.rowCount ?? 0) : undefined };
    },
    release: (lost) => client.release(lost),
  };
}

/** Opens a pool; a hung server, network or forgotten transaction ends in an error, never in waiting for ever. */
export function openPostgres(databaseUrl: string, { max = 10, patient = false } = {}): Source {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    application_name: 'steward',
    connectionTimeoutMillis: 5_000,
    statement_timeout: patient ? 0 : 30_000,
    // The server cannot report its own hanging (SIGSTOP, a cut cable): the client gives up a little later.
    query_timeout: patient ? 0 : 32_000,
    idle_in_transaction_session_timeout: 15_000,
    // Without the check a killed client's query would go on to its end.
    options: '-c client_connection_check_interval=500ms -c timezone=UTC',
    types: { getTypeParser: (typeId: number) => decoderOf(typeId) },
  });
  // An idle client's broken connection is replaced on the next use; unheard, the event would end the process.
  pool.on('error', () => {});
  return { acquire: async () => lineOf(await pool.connect()), close: () => pool.end() };
}
