/** Databases for tests: the same tests run on the embedded database and on PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { type Database, type Db, isEmbedded, openDatabase } from '../kernel/db/database.ts';
import { isOnCitus } from './servers/citus.ts';
import { dropDatabase, getDatabaseUrl, runOnCluster } from './servers/cluster.ts';
import { copyTemplateToDatabase, copyTemplateToFolder } from './templates.ts';

export type DatabaseKind = Database['kind'];

/** A temporary database: the options of openDatabase, and its removal. */
export interface TestDatabase {
  databaseUrl: string | undefined;
  dataDir: string;
  remove: () => Promise<void>;
}

/**
 * The databases that tests run on; STEWARD_TEST_DATABASES=embedded excludes PostgreSQL. STEWARD_TEST_CITUS=1 excludes the embedded one, and
 * PostgreSQL is a cluster with Citus.
 */
function getDatabaseKinds(): readonly DatabaseKind[] {
  if (isOnCitus) return ['postgres'];
  return process.env.STEWARD_TEST_DATABASES === 'embedded' ? ['embedded'] : ['embedded', 'postgres'];
}

/**
 * Creates a temporary data folder and, for PostgreSQL, a database. The database is migrated and contains no rows; with `empty` it is
 * not even migrated.
 */
export async function createTestDatabase(kind: DatabaseKind, { empty = false } = {}): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-test-'));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  if (kind === 'embedded') {
    keepWasmModule();
    if (!empty) await copyTemplateToFolder(dataDir);
    return { databaseUrl: undefined, dataDir, remove: removeFolder };
  }
  const name = `steward_test_${randomBytes(6).toString('hex')}`;
  await (empty ? runOnCluster(`create database ${name}`) : copyTemplateToDatabase(name));
  const remove = async () => {
    await dropDatabase(name);
    await removeFolder();
  };
  return { databaseUrl: getDatabaseUrl(name), dataDir, remove };
}

/** Defines the tests of `block` once for each kind of database; the tests open the database themselves. */
export function onEachKind(block: (kind: DatabaseKind) => void): void {
  for (const kind of getDatabaseKinds()) {
    describe(`on ${kind}`, () => {
      block(kind);
    });
  }
}

/**
 * Defines the tests of `block` for each kind of database, with a migrated, empty database for all tests of the block, opened with
 * `options`. `getDatabase` returns it inside tests and hooks.
 */
export function onEachDatabase(
  block: (getDatabase: () => Database, kind: DatabaseKind) => void,
  options: Omit<Parameters<typeof openDatabase>[0], 'databaseUrl' | 'dataDir'> = {},
): void {
  onEachKind((kind) => {
    let testDatabase: TestDatabase | undefined;
    let database: Database | undefined;
    beforeAll(async () => {
      testDatabase = await createTestDatabase(kind);
      database = await openDatabase({ ...testDatabase, ...options });
    });
    afterAll(async () => {
      await database?.close();
      await testDatabase?.remove();
    });
    block(() => {
      if (!database) throw new Error('The database is open only inside tests and hooks');
      return database;
    }, kind);
  });
}

/** Node has WebAssembly, but its types declare it only for browsers. */
declare const WebAssembly: { Module: new (program: Uint8Array) => object };

let wasmModule: object | undefined;

/**
 * Keeps the compiled WebAssembly module of PGlite in memory: V8 shares its machine code between threads only while it is referenced.
 * Without this, each database of the tests, which has its own thread, would compile the same functions again, which takes as long as
 * the tests themselves.
 */
function keepWasmModule(): void {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  wasmModule ??= new WebAssembly.Module(readFileSync(join(folder, 'pglite.wasm')));
}

/**
 * Number of statements that wait for a lock of this database. Counted in the transaction that holds the lock it would not change:
 * PostgreSQL shows a transaction the same activity each time.
 */
export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  // Citus also lists waits on the coordinator, a moment later.
  const { rows: onWorkers } = isOnCitus
    ? await sql<{ n: number }>`select count(*)::int as n from citus_lock_waits`.execute(db)
    : { rows: [] };
  return Math.max(rows[0]?.n ?? 0, onWorkers[0]?.n ?? 0);
}

/**
 * Resolves when a statement waits for a lock of this database, on the embedded one at once: its transactions follow each other.
 */
export async function untilSomebodyWaits(db: Db): Promise<void> {
  if (isEmbedded(db)) return;
  await vi.waitUntil(async () => (await countWaiting(db)) > 0, { timeout: 10_000 });
}

/** A statement that does not end by itself. */
export const endlessQuery = sql`select count(*) as endless from generate_series(1, 100000000000) as n where n % 7 = 8`;
