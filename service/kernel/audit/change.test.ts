/** A change is written together with its audit row and its event, or not at all. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApiClient, type ApiClient, type Reply } from '../../testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { diffProperties, change, createHostActor } from './change.ts';

type Operation = (context: { api: ApiClient; user: Person; groupId: number }) => Promise<Reply<unknown>>;

/** Operations that change a site, with the action of their audit rows and their events in order. */
const operations: readonly (readonly [
  action: string,
  events: readonly (readonly [entityType: string, kind: string, action?: string])[],
  operation: Operation,
])[] = [
  [
    'user.create',
    [['Users', 'created']],
    ({ api }) => api.post('user', { email: `${crypto.randomUUID()}@x.test`, firstName: 'A', lastName: 'B' }),
  ],
  [
    'user.update',
    [['Users', 'updated']],
    ({ api, user }) => api.put('user', { id: user.userId, lastName: 'Changed' }),
  ],
  [
    'user.remove',
    [
      ['Users', 'deleted'],
      ['UserGroups', 'updated', 'group.unassign'],
    ],
    ({ api, user }) => api.del(`user/${user.userId}`),
  ],
  [
    'license.change',
    [['Users', 'updated']],
    ({ api, user }) => api.put('userLicense', { userId: user.userId, licenseTypeId: 3 }),
  ],
  ['group.create', [['UserGroups', 'created']], ({ api }) => api.post('user/group', { name: 'New' })],
  [
    'group.update',
    [['UserGroups', 'updated']],
    ({ api, groupId }) => api.put(`user/group/${groupId}`, { name: 'Changed' }),
  ],
  ['group.delete', [['UserGroups', 'deleted']], ({ api, groupId }) => api.del(`user/group/${groupId}`)],
  [
    'group.assign',
    [
      ['UserGroups', 'updated'],
      ['Users', 'updated'],
    ],
    ({ api, user, groupId }) => api.put('user/group', [{ userIds: [user.userId], groupIds: [groupId] }]),
  ],
  [
    'group.unassign',
    [
      ['UserGroups', 'updated'],
      ['Users', 'updated'],
    ],
    ({ api, user }) => api.del('user/group', [{ userIds: [user.userId], groupIds: [user.groupId] }]),
  ],
];

onEachApp((context) => {
  let admin: Person;
  let subjects: Parameters<Operation>[0];
  beforeEach(async () => {
    const { db, app } = context();
    const siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    const user = await makePerson(db, siteId, { capabilities: ['Read Data'] });
    subjects = { api: as(app, admin), user, groupId: await makeGroup(db, siteId) };
  });
  afterEach(() => failInserts(null));

  /** All rows of the site, its mail included. */
  const readAllRows = async () => {
    const tables = ['membership', 'user_group', 'group_member', 'audit_log', 'topic', 'topic_event', 'mail'];
    const rows = await Promise.all(
      tables.map((table) =>
        sql`select * from ${sql.table(table)} where site_id = ${admin.siteId} order by 1, 2, 3`.execute(
          context().db,
        ),
      ),
    );
    const accounts = await sql`select email, last_name from account order by user_id`.execute(context().db);
    return [...rows, accounts].map((result) => result.rows);
  };

  /** Makes every insert into the table fail; null lifts this for both tables. */
  async function failInserts(table: 'audit_log' | 'topic_event' | null): Promise<void> {
    const { db } = context();
    for (const each of ['audit_log', 'topic_event'])
      await sql`alter table ${sql.table(each)} drop constraint if exists broken`.execute(db);
    if (table)
      await sql`alter table ${sql.table(table)} add constraint broken check (false) not valid`.execute(db);
  }

  test.each(operations)(
    '%s writes audit rows with the actor, and events',
    async (action, expected, operation) => {
      expect((await operation(subjects)).status).toBeLessThan(300);
      const audits = await context()
        .db.selectFrom('audit_log')
        .selectAll()
        .where('site_id', '=', admin.siteId)
        .orderBy('audit_id')
        .execute();
      expect(audits).toMatchObject(
        expected.map(([, , own = action]) => ({ action: own, actor_id: admin.userId, ip: '127.0.0.1' })),
      );
      expect(audits[0]?.request_id).toMatch(/^[\da-f-]{36}$/);
      const events = await context()
        .db.selectFrom('topic_event')
        .selectAll()
        .where('site_id', '=', admin.siteId)
        .execute();
      expect(events.toSorted((a, b) => a.off - b.off)).toMatchObject(
        expected.map(([entityType, kind], off) => ({
          off,
          payload: {
            entityType,
            modifiedById: admin.userId,
            modifiedByUserEmail: admin.email,
            payload: { entities: { [kind]: [{}] } },
          },
        })),
      );
    },
  );

  test.each(operations)(
    '%s changes nothing if its audit row or event cannot be written',
    async (_action, _event, operation) => {
      const before = await readAllRows();
      for (const table of ['audit_log', 'topic_event'] as const) {
        await failInserts(table);
        expect((await operation(subjects)).status).toBe(500);
        await failInserts(null);
        expect(await readAllRows()).toEqual(before);
      }
      expect((await operation(subjects)).status).toBeLessThan(300);
    },
  );

  test('a rejected change writes neither audit row nor event', async () => {
    const before = await readAllRows();
    const { api, user } = subjects;
    await api.put('user', { id: user.userId, twoFactorEnabled: 'yes' });
    await api.put('user', { id: user.userId, lastName: 'X' }, { headers: { 'if-match': '"0"' } });
    await api.post('user', { email: admin.email, firstName: 'A', lastName: 'B' });
    await createApiClient(context().app, '', {}).put('user', { id: user.userId, lastName: 'X' });
    expect(await readAllRows()).toEqual(before);
  });
});

test('a diff contains only changed properties, as before and after', () => {
  const before = { name: 'A', note: null, rights: ['x'], count: 0 };
  expect(diffProperties(before, { ...before, rights: ['x', 'y'], count: 1 })).toEqual({
    rights: [['x'], ['x', 'y']],
    count: [0, 1],
  });
  expect(diffProperties(before, structuredClone(before))).toEqual({});
});

test('in a diff, the properties of a missing object are null', () => {
  expect(diffProperties(undefined, { name: 'A', note: null })).toEqual({ name: [null, 'A'] });
  expect(diffProperties({ name: 'A', note: null }, undefined)).toEqual({ name: ['A', null] });
});

/** At 8 and 4 parameters per row, more than the 65,535 parameters of one statement in the audit log and in the topic. */
const MANY_RECORDS = 17_000;

onEachApp((context) => {
  let admin: Person;
  beforeEach(async () => {
    admin = await makePerson(context().db, await makeSite(context().db));
  });

  test('a change with 17,000 records writes an audit row and an event for each, in order', async () => {
    const { db } = context();
    const { siteId } = admin;
    await change(db, createHostActor(siteId), async (_tx, record) => {
      for (let id = 1; id <= MANY_RECORDS; id += 1)
        record({
          action: 'user.update',
          subject: ['user', id],
          changes: { isActive: [true, false] },
          event: { topic: 'default-users', entityType: 'Users', kind: 'updated', entity: { id } },
        });
    });
    const { rows } = await sql<object>`select
      (select count(*) from audit_log where site_id = ${siteId}) as audits,
      (select count(distinct off) from topic_event where site_id = ${siteId}) as events,
      (select next from topic where site_id = ${siteId}) as next,
      (select max(off) from topic_event where site_id = ${siteId}) as last`.execute(db);
    expect(rows).toEqual([
      { audits: MANY_RECORDS, events: MANY_RECORDS, next: MANY_RECORDS, last: MANY_RECORDS - 1 },
    ]);
  }, 60_000);

  test('the audit row has the time of its insert, not of the start of the transaction', async () => {
    const { db } = context();
    const startedAt = await change(db, createHostActor(admin.siteId), async (tx, record) => {
      const { rows } = await sql<{ now: Date }>`select now() from pg_sleep(0.05)`.execute(tx);
      record({ action: 'user.update', subject: ['user', admin.userId], changes: {} });
      return rows[0]?.now;
    });
    const { at } = await db
      .selectFrom('audit_log')
      .select('at')
      .where('action', '=', 'user.update')
      .orderBy('at', 'desc')
      .where('site_id', '=', admin.siteId)
      .executeTakeFirstOrThrow();
    expect(at.getTime() - Number(startedAt?.getTime())).toBeGreaterThanOrEqual(49);
  });
});
