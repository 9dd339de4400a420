/** PostgreSQL by DATABASE_URL. */
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The process of the server that serves a client; its type does not know it. */
function processOf(client: PoolClient): number | undefined {
  const id: unknown = 'processID' in client ? client.processID : undefined;
  return typeof id === 'number' ? id : undefined;
}

/**
 * Ends what a process of the server is at, where that is this statement: behind a pooler, or after another server has
 * taken over, the number may be somebody else's. The server shows the first characters of statements.
 */
const END = `select pg_cancel_backend(pid) from pg_stat_activity
  where pid = $1 and state <> 'idle' and starts_with($2, query)`;

/** A line of one pool client: values in and out as text, the same way as on the embedded database. */
function lineOf(client: PoolClient, ending: Pool): Line {
  const plans = plansOf(client);
  let isDoubtful = false;
  const ender = (text: string): Ender => ({
    connect: () => ending.connect(),
    async tell(other) {
      try {
        await other.query(END, [processOf(client) ?? 0, text]);
        other.release();
      } catch {
        // It may be told yet, whenever the server comes to it: nobody else gets this line.
        isDoubtful = true;
        other.release(true);
      }
    },
  });
  return {
    async run(sql, parameters, gone) {
      const name = planName(sql);
      if (name !== undefined) plans.add(name);
      const running = client.query<Record<string, unknown>>({
        name,
        text: sql,
        values: parameters.map(encode),
      });
      const { rows, command, rowCount } = await (gone ? endedWhen(gone, running, ender(sql)) : running);
      return { rows, command, affected: writes.has(command) ? (rowCount ?? 0) : 0 };
    },
    release: (lost) => client.release(lost || isDoubtful || plans.size > MOST_PLANS),
  };
}

/** A statement that has just been sent may not have begun when the server is told to end it: it is told again. */
const TOLD_AGAIN_MS = 500;

/** How the server is told to end a statement. */
interface Ender {
  /** A connection of its own, once there is one. */
  connect(): Promise<PoolClient>;
  /** Tells the server on it and gives it back; never fails. */
  tell(other: PoolClient): Promise<void>;
}

/**
 * A statement that is ended when nobody waits for it. The line is held until the server has said that it was told: what
 * it is told while it does nothing it forgets, so it never ends the statement of whoever has the line next. Where there
 * is no connection to tell it on, the statement goes on to its end or its limit, and holds the line no longer.
 */
async function endedWhen<T>(gone: AbortSignal, running: Promise<T>, ender: Ender): Promise<T> {
  const over = Promise.allSettled([running]);
  let isOver = false;
  let telling: Promise<void> | undefined;
  const untilOver = async () => {
    for (;;) {
      // oxlint-disable no-await-in-loop -- again only where once was not enough
      const other = await ender.connect().catch(() => undefined);
      if (isOver) return other?.release();
      if (other) await (telling = ender.tell(other));
      await Promise.race([over, sleep(TOLD_AGAIN_MS, undefined, { ref: false })]);
      // oxlint-enable no-await-in-loop
    }
  };
  const onGone = () => void untilOver();
  gone.addEventListener('abort', onGone, { once: true });
  try {
    return await running;
  } finally {
    isOver = true;
    gone.removeEventListener('abort', onGone);
    await telling;
  }
}

/** Opens a pool; a hung server, network or forgotten transaction ends in an error, never in waiting for ever. */
export function openPostgres(databaseUrl: string, limits: Limits, max = 10): Source {
  const { statementMs, waitMs, idleMs } = limits;
  const options = {
    connectionString: databaseUrl,
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
  };
  const pool = new Pool({ ...options, max });
  // Of its own: where slow statements have taken the whole pool, they are ended all the same.
  const ending = new Pool({ ...options, max: 1, idleTimeoutMillis: 10_000 });
  // A connection that breaks while no statement runs is replaced, and told to whoever uses it next. Unheard, the
  // event would end the process: the pool listens for the idle ones, we for those that somebody holds.
  for (const each of [pool, ending]) {
    each.on('error', () => {});
    each.on('connect', (client) => client.on('error', () => {}));
  }
  return {
    acquire: async () => lineOf(await pool.connect(), ending),
    close: async () => {
      await pool.end();
      await ending.end();
    },
  };
}
