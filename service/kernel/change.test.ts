/** A change stands with its audit row and its event, or not at all. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callsWith, type Calls, type Reply } from '../testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

type Deed = (at: { api: Calls; user: Person; groupId: number }) => Promise<Reply<unknown>>;

/** Every built operation that changes something of a site, with its audit rows' action and their events, in order. */
const deeds: readonly (readonly [
  action: string,
  events: readonly (readonly [entityType: string, kind: string, action?: string])[],
  deed: Deed,
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

onEachApp((house) => {
  let admin: Person;
  let at: Parameters<Deed>[0];
  beforeEach(async () => {
    const { db, app } = house();
    const siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    const user = await makePerson(db, siteId, { capabilities: ['Read Data'] });
    at = { api: as(app, admin), user, groupId: await makeGroup(db, siteId) };
  });
  afterEach(() => failInserts(null));

  /** Everything stored about the site and its mail. */
  const stored = async () => {
    const tables = ['membership', 'user_group', 'group_member', 'audit_log', 'topic', 'topic_event', 'mail'];
    const rows = await Promise.all(
      tables.map((table) =>
        sql`select * from ${sql.table(table)} where site_id = ${admin.siteId} order by 1, 2, 3`.execute(
          house().db,
        ),
      ),
    );
    const accounts = await sql`select email, last_name from account order by user_id`.execute(house().db);
    return [...rows, accounts].map((result) => result.rows);
  };

  /** Makes every insert into the table fail; null: none any more. */
  async function failInserts(table: 'audit_log' | 'topic_event' | null): Promise<void> {
    const { db } = house();
    for (const each of ['audit_log', 'topic_event'])
      await sql`alter table ${sql.table(each)} drop constraint if exists broken`.execute(db);
    if (table)
      await sql`alter table ${sql.table(table)} add constraint broken check (false) not valid`.execute(db);
  }

  test.each(deeds)('%s writes audit rows that say who, and their events', async (action, expected, deed) => {
    expect((await deed(at)).status).toBeLessThan(300);
    const audits = await house()
      .db.selectFrom('audit_log')
      .selectAll()
      .where('site_id', '=', admin.siteId)
      .orderBy('audit_id')
      .execute();
    expect(audits).toMatchObject(
      expected.map(([, , own = action]) => ({ action: own, actor_id: admin.userId, ip: '127.0.0.1' })),
    );
    expect(audits[0]?.request_id).toMatch(/^[\da-f-]{36}$/);
    const events = await house()
      .db.selectFrom('topic_event')
      .selectAll()
      .where('site_id', '=', admin.siteId)
      .execute();
    expect(events.toSorted((one, other) => one.off - other.off)).toMatchObject(
      expected.map(([entityType, kind], off) => ({
        off,
        payload: {
          entityType,
          modifiedById: admin.userId,
          modifiedByUserEmail: admin.email,
          isCalculated: false,
          payload: { entities: { [kind]: [{}] } },
        },
      })),
    );
  });

  test.each(deeds)(
    '%s does nothing where its audit row or its event cannot be written',
    async (_action, _event, deed) => {
      const before = await stored();
      for (const table of ['audit_log', 'topic_event'] as const) {
        await failInserts(table);
        expect((await deed(at)).status).toBe(500);
        await failInserts(null);
        expect(await stored()).toEqual(before);
      }
      expect((await deed(at)).status).toBeLessThan(300);
    },
  );

  test('a refused change leaves neither', async () => {
    const before = await stored();
    await at.api.put('user', { id: at.user.userId, twoFactorEnabled: 'yes' });
    await at.api.put('user', { id: at.user.userId, lastName: 'X' }, { headers: { 'if-match': '"0"' } });
    await at.api.post('user', { email: admin.email, firstName: 'A', lastName: 'B' });
    await callsWith(house().app, '', {}).put('user', { id: at.user.userId, lastName: 'X' });
    expect(await stored()).toEqual(before);
  });
});
