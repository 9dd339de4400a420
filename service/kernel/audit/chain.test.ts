/** Changes of the audit log behind the service's back are found (ASVS 16.4.2). */
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, onEachKind } from '../../testing/databases.ts';
import { getDatabaseUrl, runOnCluster } from '../../testing/servers/cluster.ts';
import { makeSite, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { kernelArea } from '../area/kernel-area.ts';
import { type Database, openDatabase, withTransaction } from '../db/database.ts';
import { insertAuditRows } from './audit-log.store.ts';
import { hashRow, sealAuditRows, verifyAuditChain } from './chain.ts';

const row = {
  siteId: 1,
  auditId: 1,
  at: '2026-11-23T08:00:00.000Z',
  actorId: 2,
  proxyId: 3,
  action: 'group.update',
  subjectType: 'group',
  subjectId: '4',
  subjectName: 'Readers',
  configurationKind: 'group',
  ip: '10.0.0.1',
  requestId: 'r',
  changes: '{}',
};

const toHash = (...input: Parameters<typeof hashRow>) => hashRow(...input).toString('hex');
const toColumn = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test('the hash covers every property and the place of a row', () => {
  const start = Buffer.alloc(32);
  const variants = [
    toHash(start, 1, row),
    toHash(Buffer.alloc(32, 1), 1, row),
    toHash(start, 2, row),
    ...Object.entries(row).map(([name, value]) => toHash(start, 1, { ...row, [name]: `${value}!` })),
  ];
  expect(new Set(variants).size).toBe(3 + Object.keys(row).length);
});

onEachKind((kind) => {
  let database: Database;
  let remove: () => Promise<void>;
  let siteId = 0;
  beforeAll(async () => {
    const testDatabase = await createTestDatabase(kind);
    database = await openDatabase(testDatabase);
    remove = testDatabase.remove;
    return async () => {
      await database.close();
      await remove();
    };
  });
  beforeEach(async () => {
    siteId = await makeSite(database.db);
  });

  const createRow = (subjectId: string) => ({
    site_id: siteId,
    actor_id: 7,
    proxy_id: null,
    action: 'user.update',
    subject_type: 'user',
    subject_id: subjectId,
    subject_name: null,
    configuration_kind: null,
    ip: '10.0.0.1',
    request_id: 'request',
    changes: { zeta: [1, 2], alpha: [null, 'ä"\u2028'] },
  });
  const write = (...subjects: string[]) =>
    withTransaction(database.db, {}, (tx) => insertAuditRows(tx, subjects.map(createRow)));
  const seal = async () => {
    const context = { db: database.db, services };
    const task = kernelArea.tasks(context).find(({ name }) => name === 'seals of the audit log');
    if (task) await runTask(task);
  };
  const verify = (anchor?: { seq: number; hash: string }) => verifyAuditChain(database.db, siteId, anchor, 2);
  const execute = (query: ReturnType<typeof sql>) => query.execute(database.db);
  const isSealedToEnd = async () => {
    const query = sql<{ is: boolean }>`
      select sealed_to >= (select max(audit_id) from audit_log) as is from audit_sealing`;
    return (await query.execute(database.db)).rows[0]?.is;
  };
  const listProblems = async () => (await verify()).problems.map(({ problem, seq }) => [problem, seq]);

  test('the hash covers every column of the log', async () => {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = current_schema and table_name = 'audit_log'`.execute(database.db);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(row).map(toColumn).toSorted());
  });

  test('rows are sealed in batches, wait visibly until then, and verify', async () => {
    await write('1', '2', '3');
    expect(await verify()).toMatchObject({ rows: 0, seq: 0, unsealed: 3, problems: [] });
    await sealAuditRows(database.db, { limit: 2 });
    await write('4');
    await seal();
    expect(await verify()).toMatchObject({ rows: 4, seq: 4, unsealed: 0, problems: [] });
  });

  test('a site that cannot be sealed does not stop the others, and is sealed once it can be', async () => {
    const { db } = database;
    const broken = siteId;
    await write('1', '2');
    siteId = await makeSite(db);
    await write('3', '4');
    // The place of the first seal is taken.
    await sql`insert into audit_seal (site_id, seq, audit_id, hash) values (${broken}, 2, -1, '')`.execute(
      db,
    );
    await expect(seal()).rejects.toThrow(/duplicate key/);
    expect(await verify()).toMatchObject({ rows: 2, seq: 2, unsealed: 0, problems: [] });
    const { rows } = await sql`select site_id, attempts from task_failure
      where task = 'seals of the audit log'`.execute(db);
    expect(rows).toEqual([{ site_id: broken, attempts: 1 }]);
    await sql`delete from audit_seal where audit_id = -1`.execute(db);
    // The end of the sealed part did not move while rows waited, and does not pass a transaction of any database of the server.
    await vi.waitUntil(
      async () => {
        await seal();
        return isSealedToEnd();
      },
      { timeout: 30_000 },
    );
    expect(await verifyAuditChain(db, broken)).toMatchObject({ rows: 2, seq: 2, unsealed: 0, problems: [] });
  });

  test.each([
    [
      'a changed property',
      sql`update audit_log set actor_id = 8 where subject_id = '2'`,
      'A row or its seal was changed',
      2,
    ],
    [
      'a changed value',
      sql`update audit_log set changes = '{"zeta": [1, 3]}' where subject_id = '3'`,
      'A row or its seal was changed',
      3,
    ],
    [
      'a changed time',
      sql`update audit_log set at = at - interval '1 hour' where subject_id = '1'`,
      'A row or its seal was changed',
      1,
    ],
    ['a deleted row', sql`delete from audit_log where subject_id = '2'`, 'A row was deleted', 2],
    [
      'a deleted row with its seal',
      sql`with gone as (delete from audit_log where subject_id = '2' returning audit_id)
      delete from audit_seal where audit_id in (select audit_id from gone)`,
      'Seals are missing',
      2,
    ],
    [
      'the newest row deleted with its seal',
      sql`with gone as (delete from audit_log where subject_id = '4' returning audit_id)
      delete from audit_seal where audit_id in (select audit_id from gone)`,
      'The newest seals are missing',
      4,
    ],
  ])('%s is found', async (_name, query, problem, seq) => {
    await execute(sql`delete from audit_log where site_id <> ${siteId}`);
    await write('1', '2', '3', '4');
    await seal();
    await execute(query);
    expect((await listProblems())[0]).toEqual([problem, seq]);
  });

  test('a row that was inserted with an id that has long been sealed is found', async () => {
    await write('1', '2', '3');
    await execute(sql`delete from audit_log where site_id = ${siteId} and subject_id = '2'`);
    // Transactions of other databases of the server delay this.
    while (!(await isSealedToEnd())) await seal();
    await execute(sql`insert into audit_log (audit_id, site_id, action, subject_type, subject_id, request_id, changes)
      overriding system value select min(audit_id) + 1, ${siteId}, 'a', 'b', 'c', 'd', '{}' from audit_log where site_id = ${siteId}`);
    expect((await listProblems()).map(([problem]) => problem)).toEqual(['A row was never sealed']);
  });

  test('a chain that was computed again does not match a hash that was noted before', async () => {
    await write('1', '2');
    await seal();
    const { seq, hash } = await verify();
    await write('3');
    await seal();
    expect((await verify({ seq, hash })).problems).toEqual([]);
    await execute(sql`update audit_log set actor_id = 9 where site_id = ${siteId} and subject_id = '1'`);
    await execute(sql`delete from audit_seal where site_id = ${siteId}`);
    await execute(sql`delete from audit_chain where site_id = ${siteId}`);
    await execute(sql`update audit_sealing set sealed_to = 0`);
    await seal();
    expect((await verify()).problems).toEqual([]);
    expect((await verify({ seq, hash })).problems).toEqual([
      { problem: 'The noted seal differs from the stored one', seq: 2 },
    ]);
  });

  test(
    'rows of transactions that commit late are sealed by a later pass',
    { skip: kind === 'embedded' },
    async () => {
      const late = Promise.withResolvers<void>();
      const hasWritten = Promise.withResolvers<void>();
      const slow = withTransaction(database.db, {}, async (tx) => {
        await insertAuditRows(tx, [createRow('late')]);
        await sql`select 1`.execute(tx);
        hasWritten.resolve();
        await late.promise;
      });
      await hasWritten.promise;
      await write('early');
      // Passes at the same time do not seal a row twice.
      await Promise.all([seal(), seal(), seal(), seal(), seal()]);
      expect(await verify()).toMatchObject({ rows: 1, unsealed: 0, problems: [] });
      expect(await isSealedToEnd()).toBe(false);
      late.resolve();
      await slow;
      await seal();
      expect(await verify()).toMatchObject({ rows: 2, unsealed: 0, problems: [] });
    },
  );

  test(
    'a role that may only insert writes and seals the log and cannot change it',
    { skip: kind === 'embedded' },
    async () => {
      const [name] = (await sql<{ name: string }>`select current_database() as name`.execute(database.db))
        .rows;
      const page = readFileSync(new URL('../../../docs/audit-log.md', import.meta.url), 'utf8');
      const statements = /```sql\n([^`]+)```/.exec(page)?.[1];
      if (!statements || !name) throw new Error('docs/audit-log.md has no statements');
      const role = `steward_test_${crypto.randomUUID().slice(0, 8)}`;
      for (const statement of statements
        .replaceAll('steward_app', role)
        .split(';')
        .filter((each) => each.trim() !== ''))
        await sql.raw(statement).execute(database.db);
      const url = new URL(getDatabaseUrl(name.name));
      url.username = role;
      url.password = 'a password';
      const restricted = await openDatabase({ databaseUrl: url.href, dataDir: '' });
      try {
        await withTransaction(restricted.db, {}, (tx) => insertAuditRows(tx, [createRow('restricted')]));
        await sealAuditRows(restricted.db);
        expect(await verifyAuditChain(restricted.db, siteId)).toMatchObject({ rows: 1, problems: [] });
        for (const query of [
          sql`update audit_log set actor_id = 1`,
          sql`delete from audit_log`,
          sql`truncate audit_log`,
          sql`update audit_seal set hash = ''`,
          sql`delete from audit_seal`,
          sql`alter table audit_log disable trigger all`,
        ])
          await expect(query.execute(restricted.db)).rejects.toThrow(/permission denied|must be owner/);
      } finally {
        await restricted.close();
        await sql.raw(`drop owned by ${role}`).execute(database.db);
        await runOnCluster(`drop role ${role}`);
      }
    },
  );
});
