import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findCitusPrograms } from '../../../scripts/testing/postgres.ts';
import { initCluster } from '../../kernel/db/cluster.ts';
import { type Db, openDatabase } from '../../kernel/db/database.ts';
import { PARTITIONED_TABLES } from '../../kernel/db/partitions.ts';
import { createTestDatabase } from '../../testing/databases.ts';
import {
  addWorkers,
  createCitusExtensions,
  createOnEachServer,
  isOnCitus,
  startCitusServers,
} from '../../testing/servers/citus.ts';
import { runMove } from '../move.ts';
import { openRestoreTarget, type RestoreTarget } from '../restore/target.ts';
import { fillSample } from '../sample/fill.ts';
import { moveDatabase, type MoveOptions } from './move-database.ts';
import { lockForMove } from './move-lock.ts';

const OPTIONS: MoveOptions = { targetName: 'db.example/steward', restarts: false, onProgress: () => {} };

/** Indexes, constraints and triggers; without the keys of partitioned tables, which partitions have instead of the table. */
const listSchema = async (db: Db): Promise<unknown[]> => {
  const keys = PARTITIONED_TABLES.map((table) => `${table}_pkey`);
  const { rows } = await sql`
    select replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes
      where schemaname = 'public' and not indexname = any(${keys})
    union all select conrelid::regclass || ' ' || conname from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n' and not conname = any(${keys})
    union all select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    order by 1`.execute(db);
  return rows;
};

/** Number of indexes of each partition; those of a table are the same. */
const countPartitionIndexes = async (db: Db): Promise<Map<string, Set<number>>> => {
  const { rows } = await sql<{ table: string; indexes: number }>`
    select inhparent::regclass::text as table,
      (select count(*)::int from pg_index where indrelid = inhrelid and indisvalid) as indexes
    from pg_inherits join pg_class c on c.oid = inhparent where c.relkind = 'p'`.execute(db);
  const groups = Map.groupBy(rows, ({ table }) => table);
  return new Map([...groups].map(([table, group]) => [table, new Set(group.map(({ indexes }) => indexes))]));
};

const countEntries = async (db: Db): Promise<number> =>
  (await sql`select entry_id from entry`.execute(db)).rows.length;

/** Rows of tables that a site's backup does not contain, and the next id of each sequence. */
const readSecrets = async (db: Db): Promise<unknown[]> => {
  const { rows } = await sql`
    select to_jsonb(account)::text as row from account union all select to_jsonb(api_key)::text from api_key
    union all select to_jsonb(activity)::text from activity union all select to_jsonb(entry)::text from entry
    union all select sequencename || ' ' || coalesce(last_value, 0) from pg_sequences
    order by 1`.execute(db);
  return rows;
};

// The move needs both kinds of database.
test.skipIf(isOnCitus || process.env['STEWARD_TEST_DATABASES'] === 'embedded')(
  'moves everything to PostgreSQL, goes on after an interruption, and moves it back',
  async () => {
    const embedded = await createTestDatabase('embedded');
    const server = await createTestDatabase('postgres');
    const opened: RestoreTarget[] = [];
    const open = async (place: { databaseUrl: string | undefined; dataDir: string }) => {
      const target = await openRestoreTarget({ ...place, acceptsMoved: true });
      opened.push(target);
      return target;
    };
    const closeAll = () => Promise.all(opened.splice(0).map((each) => each.close()));

    let source = await open(embedded);
    await fillSample(source.db, { users: 6, asOf: new Date('2026-11-20T12:00:00Z'), seed: 1 });
    await sql`update account set password_hash = 'hash of user ' || user_id`.execute(source.db);
    // Text that needs escapes in COPY, and a row whose update moved it.
    await sql`update account set first_name = E'a\\\\b\\tc\\nd\\r' || user_id`.execute(source.db);
    const [schema, secrets] = [await listSchema(source.db), await readSecrets(source.db)];
    expect(secrets.length).toBeGreaterThan(300);

    // Stop the move within a table.
    let target = await open(server);
    const running = await openDatabase(server);
    await running.ping();
    await expect(moveDatabase(source.db, target, OPTIONS)).rejects.toThrow('A service uses the target');
    await running.close();
    const interrupted = moveDatabase(source.db, target, {
      ...OPTIONS,
      onProgress: (table) => {
        if (table === 'activity') throw new Error('interrupted');
      },
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    await expect(openDatabase(server)).rejects.toThrow('has not finished');

    // The source is changed meanwhile, in a table that is copied.
    await sql`update account set last_name = 'Changed' where user_id = 3`.execute(source.db);
    const copied: string[] = [];
    const onProgress = (table: string) => copied.push(table);
    await expect(moveDatabase(source.db, target, { ...OPTIONS, onProgress })).rejects.toThrow(
      'account: other contents',
    );
    expect(copied).toContain('site');
    expect(copied).not.toContain('account');
    const report = await moveDatabase(source.db, target, { ...OPTIONS, restarts: true });
    expect(report.rows).toBeGreaterThan(300);
    const expected = await readSecrets(source.db);
    expect(expected).not.toEqual(secrets);
    expect(await readSecrets(target.db)).toEqual(expected);
    expect(await listSchema(target.db)).toEqual(schema);
    // With their key: the indexes of activity, of audit_log and of topic_event.
    expect(await countPartitionIndexes(target.db)).toEqual(
      new Map([
        ['activity', new Set([7])],
        ['audit_log', new Set([5])],
        ['topic_event', new Set([1])],
      ]),
    );
    await closeAll();
    await (await openDatabase(server)).close();

    // Back to another folder.
    const folder = await createTestDatabase('embedded');
    [source, target] = [await open(server), await open(folder)];
    await moveDatabase(source.db, target, OPTIONS);
    expect(await readSecrets(target.db)).toEqual(expected);
    expect(await listSchema(target.db)).toEqual(schema);
    await expect(moveDatabase(target.db, source, OPTIONS)).rejects.toThrow('has sites already');
    await closeAll();

    // The old database can be used again on request.
    await expect(openDatabase(embedded)).rejects.toThrow('steward move --stay');
    vi.stubEnv('DATA_DIR', embedded.dataDir);
    vi.stubEnv('DATABASE_URL', '');
    await expect(runMove({}, () => {})).rejects.toThrow('Give either --to or --stay');
    await expect(runMove({ to: 'embedded' }, () => {})).rejects.toThrow('the database of the settings');

    // Of two moves the second is refused before it opens a database.
    const place = { databaseUrl: server.databaseUrl, setting: '--to' } as const;
    const unlock = await lockForMove([place]);
    const to = server.databaseUrl ?? '';
    await expect(runMove({ to }, () => {})).rejects.toThrow('Another steward move uses the database of --to');
    vi.stubEnv('DATABASE_URL', to);
    for (const values of [{ to: 'embedded' }, { stay: true }])
      await expect(runMove(values, () => {})).rejects.toThrow('uses the database of DATABASE_URL');
    await unlock();
    await expect(runMove({ to: `${to}?application_name=same` }, () => {})).rejects.toThrow(
      '--to: this is the database of the settings',
    );
    vi.stubEnv('DATABASE_URL', '');
    await expect(runMove({ to: 'postgresql://127.0.0.1:1/steward' }, () => {})).rejects.toThrow(
      /^--to: .*ECONNREFUSED/,
    );
    await runMove({ stay: true }, () => {});
    await (await openDatabase(embedded)).close();
    await Promise.all([embedded.remove(), server.remove(), folder.remove()]);
  },
);

test.skipIf(findCitusPrograms() === undefined)(
  'moves into a cluster before its tables are distributed, and is refused afterwards (needs Citus)',
  async () => {
    const nodes = await startCitusServers();
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.stop()))));
    const urls = await createOnEachServer(nodes);
    await createCitusExtensions(urls);
    await addWorkers(urls);
    const embedded = await createTestDatabase('embedded');
    const coordinator = { databaseUrl: urls[0], dataDir: embedded.dataDir };
    await (await openDatabase(coordinator)).close();
    const [source, target] = await Promise.all(
      [embedded, coordinator].map((place) => openRestoreTarget({ ...place, acceptsMoved: true })),
    );
    if (!source || !target) throw new Error('The databases were not opened');
    onTestFinished(async () => {
      await Promise.all([source.close(), target.close()]);
      await embedded.remove();
    });
    await fillSample(source.db, { users: 6, asOf: new Date('2026-11-20T12:00:00Z'), seed: 1 });
    await moveDatabase(source.db, target, OPTIONS);
    const expected = await countEntries(source.db);
    expect(expected).toBeGreaterThan(10);
    await initCluster(target.db);
    expect(await countEntries(target.db)).toBe(expected);
    await expect(moveDatabase(source.db, target, OPTIONS)).rejects.toThrow(
      'The tables of the target are distributed over a cluster',
    );
    await expect(moveDatabase(target.db, source, OPTIONS)).rejects.toThrow('The tables of this database');
  },
  120_000,
);
