/**
 * Sites distributed over a cluster with Citus (docs/scaling.md): where tables may be, and a coordinator with two workers. The latter is skipped
 * where Citus is not installed for PostgreSQL (CITUS_PROGRAMS: folder of the programs of one that has it).
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { findSqlFiles, findStatements } from '../../scripts/testing/executed-statements.ts';
import { findCitusPrograms } from '../../scripts/testing/postgres.ts';
import { registry } from '../areas/registry.ts';
import { runClusterInit, runClusterMove, runClusterStatus } from '../cli/cluster.ts';
import {
  DISTRIBUTED_TABLES,
  distributeTriggerFunction,
  readClusterStatus,
  REFERENCE_TABLES,
  SEPARATE_TABLES,
  USE_OF_SITE_ROWS,
} from '../kernel/db/cluster.ts';
import { type Db, openDatabase } from '../kernel/db/database.ts';
import { up as entryBlocks } from '../kernel/db/migrations/0058_entry_blocks.ts';
import type { Reply } from '../testing/calls.ts';
import { onEachDatabase } from '../testing/databases.ts';
import { makeThings, SCHEMA } from '../testing/entries/entries.ts';
import { exportFile } from '../testing/jobs.ts';
import {
  addWorkers,
  createCitusExtensions,
  createOnEachServer,
  distributeDatabase,
  isOnCitus,
  startCitusServers,
} from '../testing/servers/citus.ts';
import { startDatabaseProxy } from '../testing/servers/database-proxy.ts';
import { hashCheaply, signInWithPassword } from '../testing/sign-in.ts';
import { as, createTestApp, makePerson, onEachApp } from '../testing/site.ts';

const distributed: readonly string[] = DISTRIBUTED_TABLES;

/** Blocks of entries whose count differs from the number of rows. */
async function findWrongBlocks(db: Db): Promise<object[]> {
  const { rows } = await sql<object>`
    with truth as (select site_id, type_id, entry_id & -4096 as first_id, count(*) as n from entry group by 1, 2, 3)
    select * from truth full join entry_block b using (site_id, type_id, first_id)
    where coalesce(truth.n, 0) <> coalesce(b.n, 0)`.execute(db);
  return rows;
}

test('the places of a cluster name tables of the areas, and each of them once', () => {
  const named = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...SEPARATE_TABLES];
  expect(named.filter((table) => !(table in registry.tables))).toEqual([]);
  expect(named).toHaveLength(new Set(named).size);
});

/** Texts of the SQL statements in a file, each with the parts that it takes from declarations of the file. */
function listStatements(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const findDeclaration = (name: string): string =>
    new RegExp(`^ *(?:export )?(?:const|function|async function) ${name}\\b[^]*?(?:;\n|\n}\n)`, 'm').exec(
      source,
    )?.[0] ?? '';
  let end = 0;
  return findStatements(file, source).flatMap((statement) => {
    // A fragment within another statement belongs to it.
    if (statement.end <= end) return [];
    ({ end } = statement);
    // A statement of the query builder ends where it is executed.
    const isTemplate = source.startsWith('sql', statement.start);
    const text = source.slice(
      statement.start,
      isTemplate ? statement.end : source.indexOf('.execute', statement.end),
    );
    const parts = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => findDeclaration(name));
    return [text + parts.join('')];
  });
}

test('every statement of a request or a task that uses rows of sites names the site', () => {
  const ofBuilder = new RegExp(
    `\\b(?:selectFrom|insertInto|updateTable|deleteFrom)\\('(?:${distributed.join('|')})`,
  );
  const namesSite = /\bsite_id\s*(?:=|in\b)|\(site_id\b|site_id: |site_id', '='/;
  const statements = findSqlFiles()
    .filter((file) => file.endsWith('store.ts') && !file.startsWith('service/cli/'))
    .flatMap(listStatements)
    .filter((text) => USE_OF_SITE_ROWS.test(text) || ofBuilder.test(text));
  expect(statements.length).toBeGreaterThan(150);
  expect(statements.filter((text) => !namesSite.test(text))).toEqual([]);
});

test('a trigger function that does more than write statements is not distributed', () => {
  const source = 'begin insert into entry_block select * from moved; return null; end';
  expect(distributeTriggerFunction('f', source, 'public')).toContain(
    "shard_beside('public.entry_block', tg_table_name)",
  );
  expect(() => distributeTriggerFunction('f', 'declare n int; begin return null; end', 'public')).toThrow(
    'The trigger function f cannot be distributed',
  );
});

onEachDatabase((database) => {
  test.skipIf(isOnCitus)(
    'distributed tables have the site in every unique key, and refer to each other by site',
    async () => {
      const { db } = database();
      const { rows: keys } = await sql`
      select c.relname as table, i.relname as key from pg_class c join pg_index x on x.indrelid = c.oid
        join pg_class i on i.oid = x.indexrelid
      where c.relname = any(${distributed}) and c.relnamespace = current_schema()::regnamespace and x.indisunique
        and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'site_id' and a.attnum = any(x.indkey))`.execute(
        db,
      );
      expect(keys).toEqual([]);
      const { rows: withoutKey } = await sql`
      select c.relname from pg_class c where c.relname = any(${distributed}) and c.relnamespace = current_schema()::regnamespace
        and not exists (select from pg_index x where x.indrelid = c.oid and x.indisprimary)`.execute(db);
      expect(withoutKey).toEqual([]);
      const { rows: references } = await sql<{ table: string; to: string; definition: string }>`
      select c.relname as table, f.relname as to, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
      where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace and f.relname = any(${distributed})`.execute(
        db,
      );
      expect(references.length).toBeGreaterThan(5);
      // A table of the coordinator cannot refer to a distributed one.
      expect(references.filter(({ table }) => !distributed.includes(table))).toEqual([]);
      expect(
        references.filter(
          ({ definition }) => !/KEY \(site_id, .* REFERENCES \S+\(site_id, /.test(definition),
        ),
      ).toEqual([]);
      // Triggers of rows would run statements for other servers on a node.
      const { rows: triggers } = await sql<{ name: string; source: string; isOfRows: boolean }>`
      select p.proname as name, p.prosrc as source, (t.tgtype & 1) = 1 as "isOfRows" from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relname = any(${distributed}) and c.relnamespace = current_schema()::regnamespace`.execute(
        db,
      );
      expect(triggers.filter(({ isOfRows }) => isOfRows)).toEqual([]);
      for (const { name, source } of triggers)
        expect(distributeTriggerFunction(name, source, 'public')).toContain(name);
      // Tables of the coordinator whose changes reach a node.
      const { rows: reaching } = await sql<{ table: string }>`
      select distinct c.relname as table from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and not c.relname = any(${distributed}) and c.relnamespace = current_schema()::regnamespace
        and p.prosrc ~ ${`\\m(from|join|into|update)\\s+(${distributed.join('|')})\\M`}
      union select confrelid::regclass::text from pg_constraint
      where contype = 'f' and confdeltype = 'c' and conrelid::regclass::text = any(${distributed})
        and not confrelid::regclass::text = any(${[...distributed, 'site', 'account']})
      order by 1`.execute(db);
      expect(reaching.map(({ table }) => table)).toEqual(['membership', 'site']);
    },
  );

  test.runIf(isOnCitus)('a database of the tests is distributed over two workers', async () => {
    const { nodes, missing } = await readClusterStatus(database().db);
    expect(missing).toEqual([]);
    expect(nodes.map(({ isCoordinator, shards }) => [isCoordinator, shards])).toEqual([
      [true, 0],
      [false, 2],
      [false, 2],
    ]);
  });
});

onEachApp((context) => {
  describe('counts of entries', () => {
    // The migration is of one server; a cluster is set up after it.
    test.skipIf(isOnCitus)('are those of the rows, also after the migration moved them', async () => {
      const { db } = context();
      const things = await makeThings(context());
      const ids = await things.create({ Name: 'A' }, { Name: 'B' }, { Name: 'C' });
      await things.remove(...ids.slice(0, 1));
      await sql`insert into entry (site_id, entry_id, type_id) select ${things.siteId}, 1000000 + 977 * n, ${things.typeId}
        from generate_series(1, 40) n`.execute(db);
      expect(await findWrongBlocks(db)).toEqual([]);
      const rollback = new Error('Nothing of it stays');
      await expect(
        db.transaction().execute(async (tx) => {
          await sql`insert into list_block (site_id, list, part, first_id, n)
            select site_id, 4, type_id, first_id, n from entry_block`.execute(tx);
          await sql`drop table entry_block`.execute(tx);
          await entryBlocks(tx.withTables<never>());
          await sql`insert into entry (site_id, entry_id, type_id) values (${things.siteId}, 2000000, ${things.typeId})`.execute(
            tx,
          );
          expect(await findWrongBlocks(tx)).toEqual([]);
          const { rows } = await sql`select from list_block where list = 4`.execute(tx);
          expect(rows).toEqual([]);
          throw rollback;
        }),
      ).rejects.toThrow(rollback);
    });
  });
});

const toAddress = (url: string) => `127.0.0.1:${new URL(url).port}`;
const siteNodes = z.array(z.object({ slug: z.string(), node: z.string() }));

const programs = findCitusPrograms();
// The records of prepared transactions stay, to be counted.
const SETTINGS = ['citus.recover_2pc_interval=-1'];

test.skipIf(programs === undefined)(
  'two sites on a coordinator and two workers work as on one server, and one moves while it is used (needs Citus)',
  async () => {
    const nodes = await startCitusServers(SETTINGS);
    const dataDir = await mkdtemp(join(tmpdir(), 'steward-cluster-'));
    const previousUrl = process.env['DATABASE_URL'];
    onTestFinished(async () => {
      if (previousUrl === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = previousUrl;
      await Promise.all(nodes.map((node) => node.stop()));
      await rm(dataDir, { recursive: true });
    });
    const urls = await createOnEachServer(nodes);
    const [coordinator = '', ...workers] = urls;
    process.env['DATABASE_URL'] = coordinator;
    await expect(runClusterInit()).rejects.toThrow('Run steward migrate --run first');
    const database = await openDatabase({ databaseUrl: coordinator, dataDir });
    const { db } = database;
    onTestFinished(() => database.close());
    await expect(runClusterInit()).rejects.toThrow('The extension citus is missing');
    await createCitusExtensions(urls);
    await expect(runClusterInit()).rejects.toThrow('no worker');
    await addWorkers(urls);
    await expect(runClusterStatus(false)).rejects.toThrow('Run steward cluster init');

    // Rows that a site has before the set-up are distributed with it.
    const app = await createTestApp(database);
    onTestFinished(() => app.close());
    const first = await makeThings({ app, db });
    await first.create({ Name: 'Before' });
    expect(await runClusterInit()).toMatchObject({
      distributed: DISTRIBUTED_TABLES.length + REFERENCE_TABLES.length,
    });
    expect(await runClusterInit()).toMatchObject({ distributed: 0 });
    expect(await runClusterStatus(false)).toMatchObject(
      urls.map((url) => ({ port: Number(new URL(url).port), isCoordinator: url === coordinator })),
    );

    // The set-up ended the plans of the sessions; the service is started again.
    const second = await makeThings({ app, db });
    const colleague = await makePerson(db, first.siteId);
    const [id = 0] = await first.create(
      { Name: 'Ship', Score: 3, Owner: colleague.userId },
      { Name: 'Boat', Score: 5 },
    );
    await first.update(id, { Name: 'Steamer', Score: 4 });
    await second.create({ Name: 'Elsewhere' });
    expect(await first.names({})).toEqual(['Before', 'Steamer', 'Boat']);
    expect(await second.names({})).toEqual(['Elsewhere']);
    expect(await first.names({ Score: { $gt: 3 } })).toEqual(['Steamer', 'Boat']);
    await first.remove((await first.create({ Name: 'Mistake' }))[0] ?? 0);
    expect(await findWrongBlocks(db)).toEqual([]);

    const users = await first.api.get<unknown[]>('/api/rest/v1/management/user');
    expect([users.status, users.body.length]).toEqual([200, 2]);
    const console = as(app, first.person, 'console');
    const { text } = await exportFile(db, console, 'entryExports', { entryType: 'Thing', format: 'csv' });
    expect(text).toContain('Steamer');
    const events = await first.api.post<unknown[]>('/api/rest/v1/publication/poll', {
      topics: ['default-data'],
      count: 100,
      timeOut: 0,
    });
    expect([events.status, events.body.length > 0]).toEqual([200, true]);

    // A foreign key between the places is replaced by a trigger.
    const leaver = await makePerson(db, first.siteId);
    await sql`insert into ri_user (site_id, user_id, is_enabled) values (${first.siteId}, ${leaver.userId}, true)`.execute(
      db,
    );
    await sql`delete from membership where site_id = ${first.siteId} and user_id = ${leaver.userId}`.execute(
      db,
    );
    expect((await sql`select from ri_user where site_id = ${first.siteId}`.execute(db)).rows).toEqual([]);

    // Changes of a transaction on the coordinator and on a node are committed together: they are prepared on the node first.
    const countPrepared = async () =>
      (await sql<{ n: number }>`select count(*) as n from pg_dist_transaction`.execute(db)).rows[0]?.n ?? 0;
    const prepared = await countPrepared();
    await db.transaction().execute(async (tx) => {
      await sql`update entry set version = version + 1 where site_id = ${first.siteId} and entry_id = ${id}`.execute(
        tx,
      );
      await sql`update topic set next = next where site_id = ${first.siteId}`.execute(tx);
    });
    expect(await countPrepared()).toBe(prepared + 1);

    const { rows: slugs } = await sql<{
      slug: string;
    }>`select slug from site where site_id = ${first.siteId}`.execute(db);
    const slug = slugs[0]?.slug ?? '';
    const readNode = async () =>
      siteNodes.parse(await runClusterStatus(true)).find((site) => site.slug === slug)?.node;
    const before = await readNode();
    const target = workers.map(toAddress).find((address) => address !== before) ?? '';
    const moved = new AbortController();
    const statuses: number[] = [];
    const use = async (): Promise<void> => {
      for (let n = 0; !moved.signal.aborted; n += 1) {
        const reply =
          n % 2 === 0
            ? await first.store('put', first.items(id, { Score: n }))
            : await first.api.post(`/api/rest/v4/data/entrydata/rows/query/${first.typeId}`, { query: {} });
        statuses.push(reply.status);
      }
    };
    const uses = [use(), use()];
    await runClusterMove(slug, target).finally(() => moved.abort());
    await Promise.all(uses);
    expect(await readNode()).toBe(target);
    expect(statuses.length).toBeGreaterThan(10);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await findWrongBlocks(db)).toEqual([]);
    expect(await first.names({})).toEqual(['Before', 'Steamer', 'Boat']);
    await expect(runClusterMove('nobody', target)).rejects.toThrow('There is no site nobody');
    await expect(runClusterMove(slug, 'far:1')).rejects.toThrow('no node far:1');
  },
  300_000,
);

/** Address of the worker that has the rows of a site. */
async function findWorker(db: Db, siteId: number): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`select slug from site where site_id = ${siteId}`.execute(db);
  return (await readClusterStatus(db)).sites.find(({ slug }) => slug === rows[0]?.slug)?.node;
}

/** A worker that is lost: its process ends, or nothing that is sent to it is answered any more. */
interface Loss {
  lose: () => Promise<void> | void;
  restore: () => Promise<void> | void;
}

/** Starts a coordinator and two workers. `isSilent`: whether a lost worker closes no connection, like a machine without power. */
async function startLossyCluster(isSilent: boolean): Promise<{ urls: string[]; losses: Map<string, Loss> }> {
  const nodes = await startCitusServers();
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.stop()))));
  const [coordinator = '', ...workers] = await createOnEachServer(nodes);
  const proxies = isSilent ? await Promise.all(workers.map((url) => startDatabaseProxy(url))) : [];
  onTestFinished(() => proxies.forEach((proxy) => proxy.close()));
  const urls = isSilent ? proxies.map(({ url }) => url) : workers;
  const losses = urls.map((url, at): [string, Loss] => [
    toAddress(url),
    {
      lose: () => (isSilent ? proxies[at]?.pause() : nodes[at + 1]?.end('SIGQUIT')),
      restore: () => (isSilent ? proxies[at]?.resume() : nodes[at + 1]?.start()),
    },
  ]);
  return { urls: [coordinator, ...urls], losses: new Map(losses) };
}

test.skipIf(programs === undefined).each(['is down', 'does not answer'])(
  'the sites of a worker that %s get 503 until it is back, and others work (needs Citus)',
  async (loss) => {
    const isSilent = loss === 'does not answer';
    const { urls, losses } = await startLossyCluster(isSilent);
    const dataDir = await mkdtemp(join(tmpdir(), 'steward-cluster-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    await distributeDatabase(urls, dataDir);
    const database = await openDatabase({ databaseUrl: urls[0], dataDir });
    onTestFinished(() => database.close());
    const { db } = database;
    const app = await createTestApp(database);
    onTestFinished(() => app.close());

    const lost = await makeThings({ app, db });
    const address = await findWorker(db, lost.siteId);
    let other = await makeThings({ app, db });
    while ((await findWorker(db, other.siteId)) === address) other = await makeThings({ app, db });
    const [id = 0] = await lost.create({ Name: 'Before' });
    await other.create({ Name: 'Elsewhere' });
    const password = 'a long password of the test';
    const options = { passwordHash: hashCheaply(password) };
    const members = [await makePerson(db, lost.siteId, options), await makePerson(db, other.siteId, options)];
    const worker = losses.get(address ?? '');
    if (!worker) throw new Error('The site is on no worker');

    const rows = `/api/rest/v4/data/entrydata/rows/query/${lost.typeId}`;
    const use = (): Promise<Reply<unknown>>[] => [
      lost.api.post(rows, { query: {} }),
      lost.store('put', lost.items(id, { Name: 'Changed' })),
      lost.api.get(`${SCHEMA}/entrytypes/Thing/fields`),
    ];
    await worker.lose();
    // More requests than a process has connections: none waits for the timeout of a statement, 30 seconds.
    for (const reply of Array.from({ length: 10 }, use).flat()) {
      const { status, headers, text } = await reply;
      expect([status, headers['retry-after'], text]).toEqual([
        503,
        '5',
        expect.stringContaining('The server that has the data of this site is not available right now'),
      ]);
    }
    // A site that is known to be lost is refused at once; a statement would be given up after 3 seconds.
    const refusedFrom = performance.now();
    expect((await lost.api.get(`${SCHEMA}/entrytypes/Thing/fields`)).status).toBe(503);
    expect(performance.now() - refusedFrom).toBeLessThan(2_000);
    // Data of the coordinator is read and written on both sites, but accounts are on all servers.
    for (const { email } of members) {
      expect((await signInWithPassword(app, { email, password })).status).toBe(200);
      expect((await signInWithPassword(app, { email, password: 'another password' })).status).toBe(503);
    }
    const change = { id: members[1]?.userId, lastName: 'Changed' };
    expect((await other.api.put('/api/rest/v1/management/user', change)).status).toBe(503);
    for (const { api } of [lost, other]) {
      expect((await api.get('/api/rest/v1/management/user')).status).toBe(200);
      expect((await api.post('/api/rest/v1/management/user/group', { name: 'Group' })).status).toBe(200);
    }
    await other.create({ Name: 'Meanwhile' });
    expect(await other.names({})).toEqual(['Elsewhere', 'Meanwhile']);

    await worker.restore();
    await expect.poll(async () => (await lost.api.post(rows, { query: {} })).status).toBe(200);
    await lost.update(id, { Name: 'After' });
    expect(await lost.names({})).toEqual(['After']);
    expect(await findWrongBlocks(db)).toEqual([]);
  },
  300_000,
);
