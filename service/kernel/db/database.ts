import { join } from 'node:path';
import { Kysely, sql, type Transaction } from 'kysely';
import { lineDialect, type Source } from './dialect.ts';
import { type Limits, usualLimits } from './limits.ts';
import { migrate } from './migrate.ts';
import { openEmbedded } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;
/** An open transaction; functions that write ask for one, so that no write stands alone. */
export type Tx = Transaction<Tables>;

export interface Database {
  db: Db;
  kind: 'embedded' | 'postgres';
  /** Resolves when the database answers. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}

const sources = new WeakMap<Db, Source>();

function over(source: Source, gone?: AbortSignal): Db {
  const db = new Kysely<Tables>({ dialect: lineDialect(source, gone) });
  sources.set(db, source);
  return db;
}

/**
 * The same database for reads that nobody needs when the signal says so: their statements are not begun then, and on
 * PostgreSQL those that run are ended. The embedded one cannot be interrupted. Whoever writes takes the database as it is.
 */
export function readsUntil(db: Db, gone: AbortSignal): Db {
  const source = sources.get(db);
  if (!source) throw new Error('Within a transaction everything is done to its end');
  return over(source, gone);
}

async function openServer(databaseUrl: string, limits: Limits): Promise<Db> {
  // Migrations get a session of their own without a limit: to wait for another process's is no fault.
  const migrating = over(openPostgres(databaseUrl, { ...limits, statementMs: 0 }, 1));
  try {
    await migrate(migrating);
  } finally {
    await migrating.destroy();
  }
  return over(openPostgres(databaseUrl, limits));
}

async function openFolder(folder: string, limits: Limits): Promise<Db> {
  const db = over(await openEmbedded(folder, limits));
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Opens the database and brings its schema up to date: PostgreSQL when a URL is given, else the embedded one. */
export async function openDatabase(options: {
  databaseUrl: string | undefined;
  dataDir: string;
  limits?: Partial<Limits>;
}): Promise<Database> {
  const { databaseUrl, dataDir } = options;
  const limits = { ...usualLimits, ...options.limits };
  const db = databaseUrl
    ? await openServer(databaseUrl, limits)
    : await openFolder(join(dataDir, 'db'), limits);
  return {
    db,
    kind: databaseUrl ? 'postgres' : 'embedded',
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}
