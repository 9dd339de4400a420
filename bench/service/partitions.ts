/** Reads and writes of the partitioned logs beside the same statements on tables without partitions, in turns (docs/decisions/0087). */
import { sql } from 'kysely';
import { startPostgres } from '../../scripts/testing/postgres.ts';
import { listConfigurationChanges } from '../../service/areas/activity/configuration.store.ts';
import { readReport, readRows } from '../../service/areas/activity/report.store.ts';
import { listUserChanges } from '../../service/areas/activity/user-changes.store.ts';
import { readMessages } from '../../service/areas/publications/messages.store.ts';
import { insertActivity } from '../../service/kernel/audit/activity.store.ts';
import { insertAuditRows } from '../../service/kernel/audit/audit-log.store.ts';
import { deleteOldAuditRows } from '../../service/kernel/audit/chain.store.ts';
import { sealAuditRows, verifyAuditChain } from '../../service/kernel/audit/chain.ts';
import { type Db, openDatabase, withTransaction, withUnmigrated } from '../../service/kernel/db/database.ts';
import { migrate } from '../../service/kernel/db/migrate.ts';
import { listPartitions, PARTITIONED_TABLES, partitionTables } from '../../service/kernel/db/partitions.ts';
import { publishEvents } from '../../service/kernel/outbox/events.store.ts';
import { type Bench, measureMs, type Measure } from '../bench.ts';
import { createAuditRow } from './audit-row.ts';

const AUDIT_ROWS = 420_000;
const AUDIT_MONTHS = 84;
const ACTIVITY_ROWS = 200_000;
const EVENTS = 100_000;
const ROUNDS = 5;
const CALLS = 40;
const DAY_MS = 86_400_000;

/** The months of a table begin with that of its oldest row. */
const OLDEST = [
  `insert into audit_log (site_id, at, action, subject_type, subject_id, request_id, changes)
    select site_id, now() - interval '${AUDIT_MONTHS} months', 'a', 'user', '0', '', '{}' from site`,
  `insert into activity (site_id, at, user_id, activity_type_id, source_type_id)
    select site_id, now() - interval '98 days', 1, 1, 1 from site`,
  `insert into topic_event (site_id, topic_id, off, at, payload) select site_id, 9, 0, now() - interval '9 days', '{}' from site`,
];

/** Rows of seven years, 98 and 9 days. */
const FILL = [
  `insert into audit_log (site_id, at, actor_id, action, subject_type, subject_id, request_id, changes, configuration_kind)
    select 1, now() - make_interval(secs => (${AUDIT_ROWS} - n) * (${AUDIT_MONTHS} * 2629800.0 / ${AUDIT_ROWS})), 7, 'user.update', 'user',
      (n % 20000)::text, 'request ' || n, '{"firstName": ["a", "b"]}', case when n % 20 = 0 then 'setting' end
    from generate_series(1, ${AUDIT_ROWS}) n`,
  `insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address)
    select 1, now() - make_interval(secs => (${ACTIVITY_ROWS} - n) * (98 * 86400.0 / ${ACTIVITY_ROWS})), 1 + n % 2000, 1, 1, '10.0.0.1'
    from generate_series(1, ${ACTIVITY_ROWS}) n`,
  `insert into topic (site_id, name, next) values (1, 'default-data', ${EVENTS})`,
  `insert into topic_event (site_id, topic_id, off, at, payload)
    select 1, 1, n - 1, now() - make_interval(secs => (${EVENTS} - n) * (9 * 86400.0 / ${EVENTS})),
      json_build_object('kind', 'update', 'text', repeat('x', 500)) from generate_series(1, ${EVENTS}) n`,
  'vacuum analyze',
];

const createRow = (requestId: string) => createAuditRow(1, requestId);

const AUTHOR = { siteId: 1, userId: 7, email: 'a@example.com' };

type Work = (db: Db, call: number) => Promise<unknown>;

function listWorks(): [name: string, work: Work][] {
  const now = Date.now();
  const none = { kinds: undefined, userIds: undefined, from: undefined, to: undefined, search: undefined };
  const everything = {
    from: new Date(Math.floor(now / DAY_MS) * DAY_MS - 90 * DAY_MS),
    to: undefined,
    userIds: undefined,
    principalIds: undefined,
    activities: undefined,
    sources: undefined,
    exportKind: undefined,
    exportedType: undefined,
    onlyProxy: false,
    network: undefined,
  };
  const readActivity =
    (offset: number, filter: object): Work =>
    (db) =>
      withTransaction(db, {}, (tx) =>
        readReport(tx, 1, { ...everything, ...filter }, { offset, limit: 100 }),
      );
  const listConfiguration =
    (years: number): Work =>
    (db) =>
      listConfigurationChanges(db, 1, none, {
        before:
          years === 0
            ? undefined
            : [new Date(now - years * 365 * DAY_MS).toISOString(), Number.MAX_SAFE_INTEGER],
        end: undefined,
        limit: 50,
      });
  return [
    [
      'changes of a user, 21 in seven years',
      (db, call) => listUserChanges(db, 1, call + 1, { offset: 0, limit: 50 }),
    ],
    ['configuration log, first page', listConfiguration(0)],
    ['configuration log, page of six years ago', listConfiguration(6)],
    ['activity report, page 1', readActivity(0, {})],
    ['activity report, page 1,500', readActivity(150_000, {})],
    ['activity report, a user', readActivity(0, { userIds: [12] })],
    [
      '1,000 rows of activity by id',
      (db, call) =>
        readRows(
          db,
          Array.from({ length: 1_000 }, (_, index) => call * 4_000 + index + 1),
        ),
    ],
    [
      '1,000 messages of a topic',
      (db, call) => readMessages(db, 1, { topicId: 1, from: call * 2_000, limit: 1_000 }),
    ],
    [
      'a transaction with an audit row',
      (db) => withTransaction(db, {}, (tx) => insertAuditRows(tx, [createRow('a')])),
    ],
    [
      'a transaction with 1,000 audit rows',
      (db) =>
        withTransaction(db, {}, (tx) =>
          insertAuditRows(
            tx,
            Array.from({ length: 1_000 }, () => createRow('b')),
          ),
        ),
    ],
    ['a row of activity', (db) => insertActivity(db, { siteId: 1, userId: 3, kind: 1, ip: '10.0.0.1' })],
    [
      'a transaction with an event',
      (db, call) =>
        withTransaction(db, {}, async (tx) => {
          await sql`select 1`.execute(tx);
          publishEvents(tx, AUTHOR, [
            { topic: 'default-users', entityType: 'Users', kind: 'updated', entity: { userId: call } },
          ]);
        }),
    ],
  ];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Medians of a call in milliseconds on both databases, which take turns. */
async function compare(name: string, work: Work, [ours, plain]: readonly [Db, Db]): Promise<Measure> {
  const [times, floors]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [db, list] of [
      [plain, floors],
      [ours, times],
    ] as const)
      for (let call = 0; call < CALLS; call += 1) {
        const ms = await measureMs(() => work(db, call));
        if (call >= CALLS / 4) list.push(ms);
      }
  return { name, ours: median(times), floor: median(floors), unit: 'ms' };
}

/** Fills both databases, one whose tables are those of the embedded one, and the other with partitions from its oldest rows on. */
async function measureBoth(
  [place, plainPlace]: readonly { databaseUrl: string; dataDir: string }[],
  note: (text: string) => void,
): Promise<Measure[]> {
  if (!place || !plainPlace) throw new Error('Two databases are compared');
  await withUnmigrated(plainPlace, async (plain) => {
    await migrate(plain, 'embedded');
    await insertSite(plain);
    await fill(plain);
  });
  await withUnmigrated(place, async (db) => {
    await migrate(db, 'embedded');
    await insertSite(db);
    for (const statement of OLDEST) await sql.raw(statement).execute(db);
    await partitionTables(db);
    await fill(db);
  });
  return withUnmigrated(plainPlace, async (plain) => {
    const { db, close } = await openDatabase(place);
    try {
      const counts = await Promise.all(
        PARTITIONED_TABLES.map(async (table) => `${table} ${(await listPartitions(db, table)).length}`),
      );
      note(`Partitions: ${counts.join(', ')}.`);
      const measures: Measure[] = [];
      for (const [name, work] of listWorks()) measures.push(await compare(name, work, [db, plain]));
      return [...measures, ...(await measureSeals(db, plain))];
    } finally {
      await close();
    }
  });
}

/** Sealing, verifying and deleting audit rows, in microseconds a row. */
async function measureSeals(ours: Db, plain: Db): Promise<Measure[]> {
  const values: number[][] = [];
  for (const db of [plain, ours]) {
    const sealing = await measureMs(() => sealAuditRows(db));
    const started = performance.now();
    const { rows } = await verifyAuditChain(db, 1);
    const verifying = performance.now() - started;
    const deleting = await measureMs(() => deleteOldAuditRows(db, 1, 365));
    values.push([(sealing * 1000) / rows, (verifying * 1000) / rows, (deleting * 1000) / 5_000]);
  }
  return ['sealing', 'verifying', 'deleting'].map((name, index) => ({
    name: `${name} an audit row`,
    ours: values[1]?.[index] ?? 0,
    floor: values[0]?.[index] ?? 0,
    unit: 'µs',
  }));
}

const insertSite = (db: Db) => sql`insert into site (slug, name) values ('bench', 'Bench')`.execute(db);

async function fill(db: Db): Promise<void> {
  for (const statement of FILL) await sql.raw(statement).execute(db);
}

export const partitions: Bench = {
  name: 'Partitioned logs',
  peerName: 'without partitions',
  async run({ note }) {
    const cluster = await startPostgres();
    try {
      const url = (name: string) => cluster.url.replace(/\/[^/]*$/u, `/${name}`);
      const places = ['partitioned', 'plain'].map((name) => ({ databaseUrl: url(name), dataDir: '' }));
      const admin = await openDatabase({ databaseUrl: cluster.url, dataDir: '' });
      for (const name of ['partitioned', 'plain']) await sql.raw(`create database ${name}`).execute(admin.db);
      await admin.close();
      return await measureBoth(places, note);
    } finally {
      await cluster.stop();
    }
  },
};
