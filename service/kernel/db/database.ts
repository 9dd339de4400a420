import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { lineDialect, type Source } from './dialect.ts';
import { migrate } from './migrate.ts';
import { openEmbedded } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

export interface Database {
  db: Db;
  kind: 'embedded' | 'postgres';
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const over = (source: Source): Db => new Kysely<Tables>({ dialect: lineDialect(source) });

async function openServer(databaseUrl: string): Promise<Db> {
  // Migrations get a session of their own without time limits: waiting for another process's is no fault.
  const migrating = over(openPostgres(databaseUrl, { max: 1, patient: true }));
  await migrate(migrating).finally(() => migrating.destroy());
  return over(openPostgres(databaseUrl));
}

async function openFolder(dataDir: string): Promise<Db> {
  const folder = join(dataDir, 'db');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const db = over(await openEmbedded(folder));
  await migrate(db);
  return db;
}

/** Opens the database and brings its schema up to date: PostgreSQL when a URL is given, else the embedded one. */
export async function openDatabase(options: {
  databaseUrl: string | undefined;
  dataDir: string;
}): Promise<Database> {
  const { databaseUrl, dataDir } = options;
  const db = databaseUrl ? await openServer(databaseUrl) : await openFolder(dataDir);
  return {
    db,
    kind: databaseUrl ? 'postgres' : 'embedded',
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}
