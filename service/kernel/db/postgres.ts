/** PostgreSQL by DATABASE_URL. */
import { Pool, type PoolClient } from 'pg';
import type { Line, Source } from './dialect.ts';
import type { Limits } from './limits.ts';
import { MOST_PLANS, planName } from './prepared.ts';
import { decoderOf, encode } from './values.ts';

const writes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Names of the statements that a connection has planned. */
const planned = new WeakMap<PoolClient, Set<string>>();

function plansOf(client: PoolClient): Set<string> {
  const plans = planned.get(client) ?? new Set();
  planned.set(client, plans);
  return plans;
}

/** A line of one pool client: values in and out as text, the same way as on the embedded database. */
function lineOf(client: PoolClient): Line {
  const plans = plansOf(client);
  return {
    async run(sql, parameters) {
      const name = planName(sql);
      if (name !== undefined) plans.add(name);
      const { rows, command, rowCount } = await client.query<Record<string, unknown>>({
        name,
        text: sql,
        values: parameters.map(encode),
      });
      return { rows, command, affected: writes.has(command) ? (rowCount ?? 0) : 0 };
    },
    release: (lost) => client.release(lost || plans.size > MOST_PLANS),
  };
}

/** Opens a pool; a hung server, network or forgotten transaction ends in an error, never in waiting for ever. */
export function openPostgres(databaseUrl: string, limits: Limits, max = 10): Source {
  const { statementMs, waitMs, idleMs } = limits;
  const pool = new Pool({
    connectionString: databaseUrl,
    max,
    // A new connection knows no plans and no tables: its first statements cost ten times as much as later ones.
    idleTimeoutMillis: 300_000,
    application_name: 'steward',
    connectionTimeoutMillis: waitMs,
    statement_timeout: statementMs,
    // A server that hangs (SIGSTOP, a cut cable) cannot time itself: the client gives up a little later.
    query_timeout: statementMs === 0 ? 0 : statementMs + 2_000,
    idle_in_transaction_session_timeout: idleMs,
    // Without the check a killed client's statement would go on to its end. To compile the many expressions of a
    // statement that writes rows costs more than to run it, and is done for all of them where one part is costly.
    options: '-c client_connection_check_interval=500ms -c timezone=UTC -c jit=off',
    types: { getTypeParser: (typeId: number) => decoderOf(typeId) },
  });
  // A connection that breaks while no statement runs is replaced, and told to whoever uses it next. Unheard, the
  // event would end the process: the pool listens for the idle ones, we for those that a transaction holds.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return { acquire: async () => lineOf(await pool.connect()), close: () => pool.end() };
}
