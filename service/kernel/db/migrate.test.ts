import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase, onEachDatabase, onEachKind } from '../../testing/databases.ts';
import { startWriter } from '../../testing/processes/writer-process.ts';
import { nameDatabaseUrl } from '../config.ts';
import { buildIndexes } from './concurrent-indexes.ts';
import { type Db, openDatabase } from './database.ts';
import { DEFAULT_LIMITS } from './driver/dialect.ts';
import { migrate, type MigrationPhase, readMigrationState, type SchemaMigration } from './migrate.ts';
import { openEmbedded } from './pglite/pglite.ts';

/** All files in the migrations folder: one that is not registered would never run. */
const migrations = readdirSync(new URL('./migrations', import.meta.url))
  .toSorted()
  .map((file) => ({ name: file.replace(/\.ts$/, '') }));

const WRITER = fileURLToPath(new URL('../../testing/processes/writer-process.ts', import.meta.url));

const neverRun = () => Promise.reject(new Error('The migration is applied'));

onEachKind((kind) => {
  test('a second open runs no migration', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    for (let round = 0; round < 2; round += 1) {
      const { db, close } = await openDatabase(testDatabase);
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await close();
    }
    await testDatabase.remove();
  });

  // Only one process opens the embedded database.
  if (kind === 'embedded') return;

  test('processes that start together run each migration once', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    const writers = await Promise.all([startWriter(testDatabase), startWriter(testDatabase)]);
    const counts = await Promise.all(writers.map(async (writer) => (await writer.kill()).length));
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const { db, close } = await openDatabase(testDatabase);
    const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
    expect(rows).toEqual(migrations);
    await close();
    await testDatabase.remove();
  });

  test.each([1, 30, 80])(
    'a process killed in the middle of its migrations, after table %i, leaves nothing, and the next one finishes (F34)',
    async (tables) => {
      const testDatabase = await createTestDatabase(kind, { empty: true });
      const { databaseUrl = '', dataDir } = testDatabase;
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      // Stops the migrations after this table until the process is dead.
      await client.query(`create function wait() returns event_trigger language plpgsql as $$ begin
        if (select count(*) from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) >= ${tables} then
          perform pg_sleep(600);
        end if; end $$`);
      await client.query(
        `create event trigger wait on ddl_command_end when tag in ('CREATE TABLE') execute function wait()`,
      );
      const count = async (text: string) => (await client.query(text)).rowCount;
      const migrating = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      const child = spawn(process.execPath, [WRITER, dataDir, databaseUrl], { stdio: 'ignore' });
      const exited = once(child, 'exit');
      const patience = { timeout: 60_000 };
      await expect.poll(() => count(`${migrating} and wait_event = 'PgSleep'`), patience).toBe(1);
      child.kill('SIGKILL');
      await exited;
      await expect.poll(() => count(migrating), patience).toBe(0);
      expect(await count(`select from pg_class where relname in ('site', 'account')`)).toBe(0);
      await client.query('drop event trigger wait');
      await client.end();
      const { db, close } = await openDatabase(testDatabase);
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await db.insertInto('site').values({ slug: 'whole', name: '' }).execute();
      await close();
      await testDatabase.remove();
    },
  );

  test('a database that cannot be used as it is says what to do, with its setting', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    const { databaseUrl = '' } = testDatabase;
    const name = new URL(databaseUrl).pathname.slice(1);
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`create database ${name}_latin encoding 'LATIN1' locale 'C' template template0`);
    const open = async (url = databaseUrl): Promise<string> => {
      const error = await openDatabase({ ...testDatabase, databaseUrl: url }).then(
        ({ close }) => close(),
        (refusal: unknown) => nameDatabaseUrl(refusal),
      );
      return error instanceof Error ? error.message : 'The database was opened';
    };
    const latinUrl = new URL(databaseUrl);
    latinUrl.pathname += '_latin';
    expect(await open(latinUrl.href)).toMatch(/has the encoding LATIN1.* create database .*'UTF8'/);
    await client.query(`drop database ${name}_latin`);
    const set = (setting: string) => client.query(`alter database ${name} set ${setting}`);
    await set('default_transaction_read_only = on');
    expect(await open()).toMatch(/^DATABASE_URL: .*read-only transaction\. Use the primary server/);
    await set('default_transaction_read_only = off');
    await set('search_path = nowhere');
    expect(await open()).toMatch(/^DATABASE_URL: .*\. Let the search_path of the user name a schema/);
    await set('search_path = public');
    // A database that an earlier version has filled is opened in any encoding.
    expect(await open()).toBe('The database was opened');
    await client.query(
      `update pg_database set encoding = pg_char_to_encoding('SQL_ASCII') where datname = $1`,
      [name],
    );
    expect(await open()).toBe('The database was opened');
    await client.end();
    await testDatabase.remove();
  });

  test('pools that open together run each migration once', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    const opened = await Promise.all(Array.from({ length: 5 }, () => openDatabase(testDatabase)));
    for (const { db, close } of opened) {
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await close();
    }
    await testDatabase.remove();
  });
});

/** Two migrations had the number 0031 when this rule came; they are applied under their names. */
const DUPLICATE_NUMBERS = ['0031'];

test('no two migrations have the same number', () => {
  const numbers = migrations.map(({ name }) => name.slice(0, 4));
  const duplicates = numbers.filter((number, index) => numbers.indexOf(number) !== index);
  expect(duplicates).toEqual(DUPLICATE_NUMBERS);
});

/** Waits until a concurrent build waits for a transaction. */
async function waitForBuild(db: Db): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
        where query like '%concurrently indexed_n%' and wait_event_type = 'Lock'`.execute(db);
      return rows[0]?.n;
    })
    .toBe(1);
}

const addColumn = (name: string, phase?: MigrationPhase): SchemaMigration => ({
  up: async (db) => {
    await sql.raw(`alter table throttle add column ${name} int`).execute(db);
  },
  ...(phase && { phase }),
});

onEachDatabase((database) => {
  test('a process accepts newer migrations marked expand and refuses others', async () => {
    const { db, kind } = database();
    const known = Object.fromEntries(migrations.map(({ name }) => [name, { up: neverRun }]));
    const expanded = { ...known, '9001_expand': addColumn('a', 'expand') };
    await migrate(db, kind, expanded);
    expect(await readMigrationState(db)).toMatchObject({
      pending: [],
      newer: [{ name: '9001_expand', phase: 'expand' }],
    });
    await migrate(db, kind);
    for (const [name, phase] of [
      ['9002_contract', 'contract'],
      ['9003_unmarked', undefined],
    ] as const) {
      const newer = { ...expanded, [name]: addColumn(`c${name}`, phase) };
      expect((await readMigrationState(db, newer)).pending).toEqual([{ name, phase: phase ?? null }]);
      await migrate(db, kind, newer);
      await expect(migrate(db, kind)).rejects.toThrow(`cannot work with (${name})`);
      await sql`delete from kysely_migration where name = ${name}`.execute(db);
    }
    await sql`delete from kysely_migration where name = '9001_expand'`.execute(db);
  });

  test('indexes are built without blocking writes; an invalid one is built again', async () => {
    const { db, kind } = database();
    await sql`create table indexed (n int)`.execute(db);
    await sql`insert into indexed values (1), (1)`.execute(db);
    const name = 'indexed_n';
    const index = { name, definition: 'on indexed (n)' };
    // A build that failed leaves an invalid index on PostgreSQL.
    await expect(buildIndexes(db, kind, [{ ...index, isUnique: true }])).rejects.toThrow('indexed_n');
    const isValid = async () => {
      const { rows } = await sql<{ valid: boolean }>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
      return rows[0]?.valid;
    };
    expect(await isValid()).toBe(kind === 'postgres' ? false : undefined);
    if (kind === 'postgres') {
      // The open transaction has written the table: a build waits for it, and another writer does not.
      await db.transaction().execute(async (tx) => {
        await sql`insert into indexed values (2)`.execute(tx);
        void buildIndexes(db, kind, [index]).catch(() => {});
        await waitForBuild(db);
        await sql`insert into indexed values (3)`.execute(db);
      });
    }
    // Of several processes one builds, the others wait for it.
    await Promise.all([buildIndexes(db, kind, [index]), buildIndexes(db, kind, [index])]);
    expect(await isValid()).toBe(true);
  });
});

test('the template contains all migrations, so that a first start runs none (npm run db:template)', async () => {
  const testDatabase = await createTestDatabase('embedded', { empty: true });
  const source = await openEmbedded(join(testDatabase.dataDir, 'db'), {
    limits: DEFAULT_LIMITS,
    syncsToDisk: false,
  });
  const connection = await source.acquire();
  const { rows } = await connection.run('select name from kysely_migration order by name', []);
  connection.release(false);
  await source.close();
  await testDatabase.remove();
  expect(rows).toEqual(migrations);
});

test('a cluster from a template without migrations is migrated', async () => {
  const testDatabase = await createTestDatabase('embedded', { empty: true });
  await mkdir(join(testDatabase.dataDir, 'db'));
  const bare = await PGlite.create({ dataDir: join(testDatabase.dataDir, 'db', 'cluster') });
  await bare.close();
  const { db, close } = await openDatabase(testDatabase);
  const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
  await close();
  await testDatabase.remove();
  expect(rows).toEqual(migrations);
});
