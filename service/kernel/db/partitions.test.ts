import { PostgresQueryCompiler, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../../testing/databases.ts';
import { makeSite, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { kernelArea } from '../area/kernel-area.ts';
import { buildIndexes } from './concurrent-indexes.ts';
import { type Database, type Db, openDatabase, withUnmigrated } from './database.ts';
import { migrate } from './migrate.ts';
import {
  addPartitions,
  dropOldPartitions,
  getPeriodStart,
  listPartitions,
  MONTHS_AHEAD,
  PARTITIONED_TABLES,
  partitionTables,
} from './partitions.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const addMonths = (date: Date, count: number) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1));

const insertActivity = (db: Db, siteId: number, times: readonly Date[]) =>
  sql`insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address)
    select ${siteId}, at, 1, 1, 1, '10.0.0.1' from unnest(${times.map((at) => at.toISOString())}::timestamptz[]) at`.execute(
    db,
  );

const countActivity = async (db: Db, siteId: number) => {
  const { rows } = await sql<{ rows: number; counted: number }>`
    select (select count(*)::int from activity where site_id = ${siteId}) as rows,
      (select coalesce(sum(n), 0)::int from activity_hour where site_id = ${siteId}) as counted`.execute(db);
  return rows[0];
};

/** A database of the version before partitions, with this function as its process. */
async function withOlderDatabase(work: (older: Db, options: TestDatabase) => Promise<void>) {
  const options = await createTestDatabase('postgres', { empty: true });
  try {
    await withUnmigrated(options, async (older) => {
      // The tables of the embedded database are those of earlier versions.
      await migrate(older, 'embedded');
      expect(await listPartitions(older, 'audit_log')).toEqual([]);
      await work(older, options);
    });
  } finally {
    await options.remove();
  }
}

/** Partitions the tables as another process that starts. */
const openForTest = (options: TestDatabase, settings: Parameters<typeof partitionTables>[1]) =>
  withUnmigrated(options, (starting) => partitionTables(starting, settings));

onEachDatabase((database) => {
  test('rows of any time are stored and counted: at the end of a month, of wrong clocks, and restored ones', async () => {
    const { db } = database();
    const siteId = await makeSite(db);
    const now = new Date();
    const turn = addMonths(now, 1).getTime();
    const times = [
      now,
      ...[-10 * MINUTE_MS, -1, 0, 10 * MINUTE_MS].map((ms) => new Date(turn + ms)),
      ...[-5_000, -100, 400, 20_000].map((days) => new Date(now.getTime() + days * DAY_MS)),
    ];
    await insertActivity(db, siteId, times);
    expect(await countActivity(db, siteId)).toEqual({ rows: times.length, counted: times.length });
    const { rows } = await sql<{ at: Date }>`
      select at from activity where site_id = ${siteId} order by at desc, activity_id desc limit 5`.execute(
      db,
    );
    expect(rows.map(({ at }) => at)).toEqual(times.toSorted((a, b) => b.getTime() - a.getTime()).slice(0, 5));
    await sql`delete from activity where site_id = ${siteId}`.execute(db);
    expect(await countActivity(db, siteId)).toEqual({ rows: 0, counted: 0 });
  });

  test('a new database has partitions without gaps from now on, on PostgreSQL only', async ({ skip }) => {
    const { db, kind } = database();
    const found = await Promise.all(PARTITIONED_TABLES.map((table) => listPartitions(db, table)));
    expect(found.every((partitions) => partitions.length === 0)).toBe(kind === 'embedded');
    skip(kind === 'embedded');
    for (const table of PARTITIONED_TABLES) {
      const partitions = await listPartitions(db, table);
      expect([partitions.at(0)?.from, partitions.at(-1)?.to]).toEqual([null, null]);
      expect(partitions.slice(1).map(({ from }) => from)).toEqual(
        partitions.slice(0, -1).map(({ to }) => to),
      );
      expect(partitions[1]?.from).toEqual(getPeriodStart(table, new Date()));
      expect(partitions.at(-1)?.from?.getTime()).toBeGreaterThan(
        addMonths(new Date(), MONTHS_AHEAD).getTime(),
      );
      expect(partitions.length).toBeLessThan(9);
    }
  });

  test('ids go on over partitions', async () => {
    const { db } = database();
    const siteId = await makeSite(db);
    const now = new Date();
    await insertActivity(db, siteId, [now, addMonths(now, 1), addMonths(now, -30), now]);
    const { rows } = await sql<{ ids: number }>`
      select count(distinct activity_id)::int as ids from activity where site_id = ${siteId}`.execute(db);
    expect(rows[0]?.ids).toBe(4);
  });

  test('a table whose partitions cannot be made does not stop those of the others', async () => {
    const { db } = database();
    const compiler = new PostgresQueryCompiler();
    const readTables = new Set<unknown>();
    const failing = db.withPlugin({
      transformQuery({ node, queryId }) {
        const { parameters } = compiler.compileQuery(node, queryId);
        for (const table of PARTITIONED_TABLES) if (parameters.includes(table)) readTables.add(table);
        if (parameters.includes('activity')) throw new Error('The table cannot be read');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const task = kernelArea
      .tasks({ db: failing, services })
      .find(({ name }) => name === 'partitions of logs');
    await expect(task?.run()).rejects.toThrow('The table cannot be read');
    expect([...readTables]).toEqual(PARTITIONED_TABLES);
  });

  test('the task makes partitions and drops those that retention has emptied', async () => {
    const { db, kind } = database();
    const task = kernelArea
      .tasks({ db, services: { ...services, logRetention: { activityDays: 98, auditDays: 2_557 } } })
      .find(({ name }) => name === 'partitions of logs');
    expect(task).toBeDefined();
    if (kind === 'embedded') {
      if (task) await runTask(task);
      return;
    }
    const schema = 'public_partitions';
    const past = await listPartitions(db, 'topic_event');
    // As after three months without a restart: what was the partition of everything before is followed by months that have passed.
    const start = addMonths(new Date(), -3);
    await sql.raw(`drop table ${schema}.topic_event_past`).execute(db);
    for (let month = 0; month < 3; month += 1)
      await sql
        .raw(`create table ${schema}.topic_event_m${month} partition of topic_event
        for values from ('${addMonths(start, month).toISOString()}') to ('${addMonths(start, month + 1).toISOString()}')`)
        .execute(db);
    await sql
      .raw(`create table ${schema}.topic_event_past partition of topic_event
      for values from (minvalue) to ('${start.toISOString()}')`)
      .execute(db);
    await sql
      .raw(`alter table ${schema}.topic_event_past add primary key (site_id, topic_id, off)`)
      .execute(db);
    if (task) await runTask(task);
    const left = await listPartitions(db, 'topic_event');
    expect(left.at(0)?.from).toBeNull();
    // The end of the month before is dropped when 9 days have passed since.
    expect(left.length - past.length).toBe(new Date().getUTCDate() > 9 ? 0 : 1);
    const siteId = await makeSite(db);
    await sql`insert into topic_event (site_id, topic_id, off, at, payload) values (${siteId}, 1, 0, '2001-01-01', '{}')`.execute(
      db,
    );
  });
});

describe('on postgres', { skip: process.env.STEWARD_TEST_DATABASES === 'embedded' }, () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let db: Db;
  let siteId: number;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('postgres');
    database = await openDatabase(testDatabase);
    ({ db } = database);
    siteId = await makeSite(db);
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  test.each([
    ['small', {}],
    ['large', { maxLockedScanBytes: 0 }],
  ])('a %s table is partitioned with its rows while an older process writes', async (size, settings) => {
    await withOlderDatabase(async (older, options) => {
      const site = await makeSite(older);
      const role = `reader_${size}_${site}`;
      await sql.raw(`create role ${role}`).execute(older);
      await sql.raw(`grant select, insert on audit_log to ${role}`).execute(older);
      const days = Array.from({ length: 200 }, (_, index) => new Date(Date.now() - index * DAY_MS));
      await insertActivity(older, site, days);
      await sql`insert into audit_log (site_id, at, action, subject_type, subject_id, request_id, changes)
        select ${site}, now() - make_interval(days => n), 'a', 'user', n::text, '', '{}'
        from generate_series(1, 3000) n`.execute(older);
      const done = new AbortController();
      let written = 0;
      const write = async () => {
        do {
          await insertActivity(older, site, [new Date()]);
          written += 1;
        } while (!done.signal.aborted);
      };
      const writing = write();
      const changing = openForTest(options, settings);
      await changing.finally(() => done.abort());
      await writing;
      await insertActivity(older, site, [new Date(), addMonths(new Date(), 7)]);
      const total = 202 + written;
      expect(await countActivity(older, site)).toEqual({ rows: total, counted: total });
      const [past] = await listPartitions(older, 'audit_log');
      const distance = size === 'small' ? 0 : 62 * DAY_MS;
      expect(past).toMatchObject({
        from: null,
        to: getPeriodStart('audit_log', new Date(Date.now() + distance), 1),
      });
      const { rows } = await sql<object>`
        select count(*)::int as rows, count(distinct audit_id)::int as ids,
          (select count(*)::int from pg_index where indrelid = 'audit_log'::regclass and indisvalid) as indexes,
          (select count(*)::int from pg_constraint where conname like '%\_before') as checks,
          (select count(*)::int from pg_trigger where tgrelid = 'audit_log'::regclass and not tgisinternal) as triggers,
          pg_get_serial_sequence('audit_log', 'audit_id') as sequence,
          has_table_privilege(${role}, 'audit_log', 'insert') as "mayInsert",
          has_table_privilege(${role}, 'audit_log', 'delete') as "mayDelete",
          has_sequence_privilege(${role}, 'audit_log_audit_id_seq', 'usage') as "mayCount"
        from audit_log where site_id = ${site}`.execute(older);
      expect(rows).toEqual([
        {
          rows: 3000,
          ids: 3000,
          indexes: 4,
          checks: 0,
          triggers: 3,
          sequence: 'public.audit_log_audit_id_seq',
          mayInsert: true,
          mayDelete: false,
          mayCount: true,
        },
      ]);
      const { rows: next } = await sql<{ id: number }>`
        insert into audit_log (site_id, action, subject_type, subject_id, request_id, changes)
        values (${site}, 'a', 'user', 'next', '', '{}') returning audit_id as id`.execute(older);
      expect(next[0]?.id).toBe(3001);
      await sql.raw(`drop owned by ${role}`).execute(older);
      await sql.raw(`drop role ${role}`).execute(older);
    });
  });

  test('a table in use by a long transaction stays as it is, without the check, until the next start', async () => {
    await withOlderDatabase(async (older, options) => {
      const site = await makeSite(older);
      await insertActivity(older, site, [new Date()]);
      await older.transaction().execute(async (reading) => {
        await sql`select from activity`.execute(reading);
        // The lock for the check cannot be had, and neither can that of the whole table.
        await openForTest(options, { maxLockedScanBytes: 0, attempts: 1 });
        await openForTest(options, { attempts: 1 });
      });
      expect(await listPartitions(older, 'activity')).toEqual([]);
      expect((await listPartitions(older, 'audit_log')).length).toBeGreaterThan(2);
      await insertActivity(older, site, [new Date(Date.now() + 400 * DAY_MS)]);
      const { close } = await openDatabase(options);
      await close();
      expect((await listPartitions(older, 'activity')).length).toBeGreaterThan(1);
      expect(await countActivity(older, site)).toEqual({ rows: 2, counted: 2 });
    });
  });

  test('the task removes the check of a process that was killed, and not that of a running one', async () => {
    await withOlderDatabase(async (older, options) => {
      const later = new Date(Date.now() + 400 * DAY_MS);
      const site = await makeSite(older);
      await sql`alter table activity add constraint activity_before check (at < now() + interval '1 day') not valid`.execute(
        older,
      );
      await withUnmigrated(options, (running) =>
        running.connection().execute(async (connection) => {
          await sql`select pg_advisory_lock(7406)`.execute(connection);
          await addPartitions(older, 'activity');
          await expect(insertActivity(older, site, [later])).rejects.toThrow('activity_before');
        }),
      );
      await addPartitions(older, 'activity');
      await insertActivity(older, site, [later]);
    });
  });

  test('a role that may not create a schema works without partitions', async () => {
    await withOlderDatabase(async (older, options) => {
      const role = `owner_${await makeSite(older)}_${Date.now()}`;
      await sql.raw(`create role ${role}`).execute(older);
      await withUnmigrated(options, async (starting) => {
        await sql.raw(`alter table activity owner to ${role}`).execute(starting);
        await sql.raw(`set role ${role}`).execute(starting);
        await partitionTables(starting);
      });
      expect(await listPartitions(older, 'activity')).toEqual([]);
      await sql.raw(`reassign owned by ${role} to current_user`).execute(older);
      await sql.raw(`drop role ${role}`).execute(older);
    });
  });

  test('a large table with a row of a wrong clock stays as it is', async () => {
    await withOlderDatabase(async (older, options) => {
      const site = await makeSite(older);
      await insertActivity(older, site, [new Date(Date.now() + 400 * DAY_MS)]);
      await openForTest(options, { maxLockedScanBytes: 0 });
      expect(await listPartitions(older, 'activity')).toEqual([]);
      await insertActivity(older, site, [new Date(Date.now() + 400 * DAY_MS)]);
    });
  });

  test('rows in the partition without end get months of their own; those of wrong clocks stay behind the last month', async () => {
    // As after half a year without a process that makes partitions.
    const start = addMonths(new Date(), -6);
    for (const { name, to } of (await listPartitions(db, 'activity')).slice(0, -1))
      if (to) await sql.raw(`drop table ${name}`).execute(db);
    await sql.raw(`drop table public_partitions.activity_future`).execute(db);
    await sql
      .raw(
        `create table public_partitions.activity_past partition of activity for values from (minvalue) to ('${start.toISOString()}')`,
      )
      .execute(db);
    await sql
      .raw(
        `create table public_partitions.activity_future partition of activity for values from ('${start.toISOString()}') to (maxvalue)`,
      )
      .execute(db);
    for (const name of ['past', 'future'])
      await sql
        .raw(`alter table public_partitions.activity_${name} add primary key (activity_id)`)
        .execute(db);
    await sql`delete from activity_hour`.execute(db);
    const times = [-170, -100, -1, 0, 30_000].map((days) => new Date(Date.now() + days * DAY_MS));
    await insertActivity(db, siteId, times);
    await addPartitions(db, 'activity');
    const partitions = await listPartitions(db, 'activity');
    expect(partitions.map(({ from }) => from)).toEqual([
      null,
      start,
      ...Array.from({ length: MONTHS_AHEAD + 1 }, (_, index) => addMonths(new Date(), index + 1)),
    ]);
    expect(await countActivity(db, siteId)).toEqual({ rows: 5, counted: 5 });
    const { rows } = await sql<{
      name: string;
    }>`select tableoid::regclass::text as name from activity order by at desc limit 1`.execute(db);
    expect(rows[0]?.name).toContain('activity_future');
    // Nothing is dropped that has rows.
    expect(await dropOldPartitions(db, 'activity', new Date())).toBe(0);
    await sql`delete from activity`.execute(db);
    expect(await dropOldPartitions(db, 'activity', addMonths(new Date(), 1))).toBe(2);
    expect((await listPartitions(db, 'activity'))[0]).toMatchObject({
      from: null,
      to: addMonths(new Date(), 1),
    });
    await insertActivity(db, siteId, times);
    expect(await countActivity(db, siteId)).toEqual({ rows: 5, counted: 5 });
  });

  test('events that retention has passed are dropped with their partition, unless offsets would have a gap', async () => {
    const [past] = await listPartitions(db, 'topic_event');
    const end = past?.to ?? new Date(0);
    const { rows: topics } = await sql<{ id: number }>`
      insert into topic (site_id, name, next) values (${siteId}, 'old', 6) returning topic_id as id`.execute(
      db,
    );
    const topicId = topics[0]?.id ?? 0;
    const before = new Date(end.getTime() - DAY_MS);
    const insertEvents = (offsets: readonly number[], at: Date) =>
      sql`insert into topic_event (site_id, topic_id, off, at, payload)
        select ${siteId}, ${topicId}, off, ${at}::timestamptz, '{}' from unnest(${[...offsets]}::bigint[]) off`.execute(
        db,
      );
    const listOffsets = async () => {
      const { rows } = await sql<{ off: number }>`
        select off from topic_event where site_id = ${siteId} and topic_id = ${topicId} order by off`.execute(
        db,
      );
      return rows.map(({ off }) => off);
    };
    await insertEvents([0, 1, 2], before);
    await insertEvents([3], end);
    expect(await dropOldPartitions(db, 'topic_event', before)).toBe(0);
    expect(await dropOldPartitions(db, 'topic_event', end)).toBe(1);
    expect(await listOffsets()).toEqual([3]);
    expect((await listPartitions(db, 'topic_event'))[0]).toMatchObject({ from: null, to: end });
    // A clock that was put back.
    await insertEvents([4], before);
    await insertEvents([5], end);
    expect(await dropOldPartitions(db, 'topic_event', end)).toBe(0);
    expect(await listOffsets()).toEqual([3, 4, 5]);
    // These events would hold the partition up in the next tests.
    await sql`delete from topic_event where site_id = ${siteId} and topic_id = ${topicId}`.execute(db);
  });

  test('events of default-data stay with their partition as long as a later batch of a custom topic names them', async () => {
    const [past] = await listPartitions(db, 'topic_event');
    const end = past?.to ?? new Date(0);
    const before = new Date(end.getTime() - DAY_MS);
    const { rows: topics } = await sql<{ name: string; id: number }>`
      insert into topic (site_id, name, next) values (${siteId}, 'default-data', 4), (${siteId}, 'custom', 2)
      on conflict (site_id, name) do update set next = excluded.next returning name, topic_id as id`.execute(
      db,
    );
    const [source, custom] = ['default-data', 'custom'].map(
      (name) => topics.find((topic) => topic.name === name)?.id,
    );
    await sql`delete from topic_event where site_id = ${siteId}`.execute(db);
    await sql`insert into topic_event (site_id, topic_id, off, at, payload)
      select ${siteId}, ${source}, off, ${before}::timestamptz, '{}' from generate_series(0, 3) off`.execute(
      db,
    );
    await sql`insert into topic_event (site_id, topic_id, off, at, sources, definition_version) values
      (${siteId}, ${custom}, 0, ${before}::timestamptz, '{1}', 1),
      (${siteId}, ${custom}, 1, ${end}::timestamptz, '{3}', 1)`.execute(db);
    expect(await dropOldPartitions(db, 'topic_event', end)).toBe(0);
    await sql`delete from topic_event where site_id = ${siteId} and topic_id = ${custom} and off = 1`.execute(
      db,
    );
    expect(await dropOldPartitions(db, 'topic_event', end)).toBe(1);
  });

  test('an index of a partitioned table is built on all partitions, and on new ones', async () => {
    const index = { name: 'activity_session', definition: 'on activity (site_id, session_id)' };
    await buildIndexes(db, 'postgres', [index]);
    await buildIndexes(db, 'postgres', [index]);
    const count = async () => {
      const { rows } = await sql<{ n: number; valid: boolean }>`
        select count(*)::int as n, (select indisvalid from pg_index where indexrelid = 'activity_session'::regclass) as valid
        from pg_inherits where inhparent = 'activity_session'::regclass`.execute(db);
      return rows[0];
    };
    expect(await count()).toEqual({ n: (await listPartitions(db, 'activity')).length, valid: true });
  });
});
