/**
 * Recording of changes: audit rows with [before, after] of each changed field, and events for the affected users and
 * groups only.
 */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import { up as correctHomes } from '../../kernel/db/migrations/0070_home_sites.ts';
import type { ApiClient } from '../../testing/calls.ts';
import { as, joinSite, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let user: Person;
  let api: ApiClient;
  let groupId = 0;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    user = await makePerson(context().db, siteId, { capabilities: [] });
    groupId = await makeGroup(context().db, siteId);
    api = as(context().app, admin);
  });

  /** The audit rows of a site as [action, subject, changes]. */
  async function listAuditRows(site = siteId): Promise<unknown[]> {
    const rows = await context()
      .db.selectFrom('audit_log')
      .select(['action', 'subject_id', 'changes'])
      .where('site_id', '=', site)
      .orderBy('audit_id')
      .execute();
    return rows.map((row) => [row.action, Number(row.subject_id), row.changes]);
  }
  /** The events of a site: kind, id and, for groups, added and removed members. */
  async function listEvents(site = siteId): Promise<unknown[]> {
    const { rows } = await sql<{ type: string; kind: string; entity: Record<string, unknown> }>`
      select payload ->> 'entityType' as type, e.key as kind, e.value -> 0 as entity
      from topic_event, json_each(payload -> 'payload' -> 'entities') e where site_id = ${site} order by off`.execute(
      context().db,
    );
    return rows.map(({ type, kind, entity }) => {
      const { id, added, removed } = entity;
      return type === 'Users' ? [type, kind, id] : [type, kind, id, added ?? null, removed ?? null];
    });
  }
  const setHomeFederationId = () =>
    context()
      .db.updateTable('account')
      .set({ federation_id: 'at-home' })
      .where('user_id', '=', user.userId)
      .execute();
  const getEtag = async (path: string) => String((await api.get(path)).headers.etag);
  const pair = () => [{ userIds: [user.userId], groupIds: [groupId] }];

  const addedEvents = () => [
    ['UserGroups', 'updated', groupId, [user.userId], null],
    ['Users', 'updated', user.userId],
  ];
  const removedEvents = () => [
    ['UserGroups', 'updated', groupId, null, [user.userId]],
    ['Users', 'updated', user.userId],
  ];

  test('every event of a group has its UserGroupEntryID, the entryId of the group (spec 6.6)', async () => {
    const { body: id } = await api.post<number>('user/group', { name: 'A', capabilities: ['Read Data'] });
    const { entryId } = (await api.get<{ entryId: number }>(`user/group/${id}`)).body;
    await api.put('user/group', [{ userIds: [user.userId], groupIds: [id] }]);
    await api.put(`user/group/${id}`, { name: 'B' });
    await api.del(`user/group/${id}`);
    const { rows } = await sql<{ entryId: number }>`
      select (e.value -> 0 ->> 'UserGroupEntryID')::int as "entryId"
      from topic_event, json_each(payload -> 'payload' -> 'entities') e
      where site_id = ${siteId} and payload ->> 'entityType' = 'UserGroups' order by off`.execute(
      context().db,
    );
    expect(entryId).toEqual(expect.any(Number));
    expect(rows.map((row) => row.entryId)).toEqual([entryId, entryId, entryId, entryId]);
  });

  test('modifiedDate does not decrease when a transaction that started earlier commits later', async () => {
    const other = new Date(Date.now() + 60_000);
    await context()
      .db.updateTable('membership')
      .set({ modified_at: other })
      .where('user_id', '=', user.userId)
      .execute();
    await api.put('user', { id: user.userId, lastName: 'Later' });
    const { body } = await api.get<{ modifiedDate: string }>(`user/${user.userId}`);
    expect(body.modifiedDate).toBe(other.toISOString());
  });

  describe('an audit row contains [before, after] of each changed field', () => {
    test('of a group that is created, updated and deleted', async () => {
      const { body: id } = await api.post<number>('user/group', { name: 'A', capabilities: ['Read Data'] });
      await api.put(`user/group/${id}`, { name: 'B', description: 'Two', capabilities: ['Read Data'] });
      await api.del(`user/group/${id}`);
      expect(await listAuditRows()).toEqual([
        ['group.create', id, { name: [null, 'A'], capabilities: [null, ['Read Data']] }],
        ['group.update', id, { name: ['A', 'B'], description: [null, 'Two'] }],
        [
          'group.delete',
          id,
          {
            name: ['B', null],
            description: ['Two', null],
            capabilities: [['Read Data'], null],
            members: [[], []],
          },
        ],
      ]);
    });

    test('of a user who is created, updated and removed', async () => {
      const email = `${crypto.randomUUID()}@x.test`;
      const { body: id } = await api.post<number>('user', { email, firstName: 'A', lastName: 'B' });
      await api.put('user', { id, lastName: 'C', isActive: true });
      await api.del(`user/${id}`);
      expect(await listAuditRows()).toMatchObject([
        ['user.create', id, { email: [null, email], isActive: [null, true], licenseTypeId: [null, 1] }],
        ['user.update', id, { lastName: ['B', 'C'] }],
        ['user.remove', id, { email: [email, null], lastName: ['C', null] }],
      ]);
    });

    test('an empty or identical update of a group changes neither audit log, events nor entity tag', async () => {
      const path = `user/group/${groupId}`;
      await api.put(path, { capabilities: ['Read Data', 'Write Data'] });
      const before = [await listAuditRows(), await listEvents(), await getEtag(path)];
      const { name } = (await api.get<{ name: string }>(path)).body;
      for (const body of [{}, { name }, { name: ` ${name} `, capabilities: ['Write Data', 'Read Data'] }])
        expect((await api.put(path, body)).status).toBe(200);
      expect([await listAuditRows(), await listEvents(), await getEtag(path)]).toEqual(before);
    });
  });

  describe('group memberships', () => {
    test('are recorded alike whether set through the user or through the group', async () => {
      await api.put('user/group', pair());
      expect(await listEvents()).toEqual(addedEvents());
      await api.del('user/group', pair());
      await api.put('user', { id: user.userId, groups: [user.groupId, groupId] });
      await api.put('user', { id: user.userId, groups: [user.groupId] });
      expect(await listEvents()).toEqual([
        ...addedEvents(),
        ...removedEvents(),
        ...addedEvents(),
        ...removedEvents(),
      ]);
      const changed = (action: string, members: unknown, groups: unknown) => [
        [`group.${action}`, groupId, { members }],
        [expect.any(String), user.userId, { groups }],
      ];
      const [few, many] = [[user.groupId], [user.groupId, groupId]];
      const both = [
        ...changed('assign', [[], [user.userId]], [few, many]),
        ...changed('unassign', [[user.userId], []], [many, few]),
      ];
      expect(await listAuditRows()).toEqual([...both, ...both]);
    });

    test('existing pairs and unaffected users are left unchanged', async () => {
      await api.put('user/group', pair());
      const other = await makePerson(context().db, siteId, { capabilities: [] });
      const before = [await getEtag(`user/${user.userId}`), await getEtag(`user/${other.userId}`)];
      const eventCount = (await listEvents()).length;
      await api.put('user/group', pair());
      await api.del('user/group', [{ userIds: [other.userId], groupIds: [groupId] }]);
      expect((await listEvents()).length).toBe(eventCount);
      await api.put('user/group', [{ userIds: [user.userId, other.userId], groupIds: [groupId] }]);
      expect((await listEvents()).slice(eventCount)).toEqual([
        ['UserGroups', 'updated', groupId, [other.userId], null],
        ['Users', 'updated', other.userId],
      ]);
      expect(await getEtag(`user/${user.userId}`)).toBe(before[0]);
      expect(await getEtag(`user/${other.userId}`)).not.toBe(before[1]);
    });

    test('deleting a group records its members, removing a user records the groups', async () => {
      await api.put('user/group', pair());
      await api.del(`user/group/${groupId}`);
      await api.del(`user/${user.userId}`);
      expect((await listEvents()).slice(2)).toEqual([
        ['UserGroups', 'deleted', groupId, null, [user.userId]],
        ['Users', 'updated', user.userId],
        ['Users', 'deleted', user.userId],
        ['UserGroups', 'updated', user.groupId, null, [user.userId]],
      ]);
    });

    test('every change of the user count changes the entity tag of the group', async () => {
      const path = `user/group/${groupId}`;
      const email = `${crypto.randomUUID()}@x.test`;
      const tags = [await getEtag(path)];
      const addEtagAfter = async (change: Promise<unknown>) => {
        await change;
        tags.push(await getEtag(path));
      };
      await addEtagAfter(api.put('user/group', pair()));
      await addEtagAfter(api.del('user/group', pair()));
      await addEtagAfter(api.put('user', { id: user.userId, groups: [groupId] }));
      await addEtagAfter(api.post('user', { email, firstName: 'A', lastName: 'B', groups: [groupId] }));
      await addEtagAfter(api.del(`user/${user.userId}`));
      expect(new Set(tags).size).toBe(tags.length);
    });
  });

  describe('an account on several sites', () => {
    let elsewhere = 0;
    beforeEach(async () => {
      elsewhere = await makeSite(context().db);
      await joinSite(context().db, elsewhere, user.userId);
    });

    test('records account changes on each site, without author on other sites, and membership changes on this site only', async () => {
      await api.put('user', { id: user.userId, lastName: 'Lund', twoFactorEnabled: true });
      await api.put('user', { id: user.userId, twoFactorEnabled: true, groups: [groupId] });
      const lastName = ['Okafor', 'Lund'];
      expect((await listAuditRows())[0]).toEqual([
        'user.update',
        user.userId,
        { lastName, twoFactorEnabled: [false, true] },
      ]);
      expect(await listAuditRows(elsewhere)).toEqual([['user.update', user.userId, { lastName }]]);
      expect(await listEvents(elsewhere)).toEqual([['Users', 'updated', user.userId]]);
      const { rows } =
        await sql`select payload ->> 'modifiedById' as by, payload ->> 'modifiedByUserEmail' as email
        from topic_event where site_id = ${elsewhere}`.execute(context().db);
      expect(rows).toEqual([{ by: null, email: null }]);
    });

    test('can be changed by the site of its oldest membership after removal from its home site', async () => {
      await joinSite(context().db, await makeSite(context().db), user.userId);
      const there = as(context().app, await makePerson(context().db, elsewhere));
      const rename = () => there.put('user', { id: user.userId, lastName: 'Lund' });
      expect((await rename()).status).toBe(409);
      await setHomeFederationId();
      await context()
        .db.insertInto('identity_link')
        .values({ site_id: elsewhere, user_id: user.userId, federation_id: 'at-elsewhere' })
        .execute();
      expect((await api.del(`user/${user.userId}`)).status).toBe(200);
      expect((await rename()).status).toBe(200);
      const { body } = await there.get<UserInfoResponse>(`user/${user.userId}`);
      expect(body.federationId).toBe('at-elsewhere');
      const links = await context()
        .db.selectFrom('identity_link')
        .select('site_id')
        .where('user_id', '=', user.userId)
        .execute();
      expect(links).toEqual([]);
      expect((await listAuditRows(elsewhere))[0]).toEqual([
        'user.home',
        user.userId,
        { homeSiteId: [siteId, elsewhere] },
      ]);
    });
  });

  test('an account that belongs to no site is changed by the site that it joins next', async () => {
    await setHomeFederationId();
    expect((await api.del(`user/${user.userId}`)).status).toBe(200);
    const next = await makeSite(context().db);
    await context()
      .db.updateTable('site')
      .set({
        dedicated_domain: user.email.slice(user.email.indexOf('@') + 1),
        may_manage_existing_users: true,
      })
      .where('site_id', '=', next)
      .execute();
    const there = as(context().app, await makePerson(context().db, next));
    const added = await there.post('user/addExisting', { email: user.email, groups: [] });
    expect(added.status).toBe(204);
    expect((await there.put('user', { id: user.userId, lastName: 'Lund' })).status).toBe(200);
    expect((await there.get<UserInfoResponse>(`user/${user.userId}`)).body.federationId).toBe(null);
    expect(await listAuditRows(next)).toContainEqual([
      'user.home',
      user.userId,
      { homeSiteId: [siteId, next] },
    ]);
  });

  test('a migration corrects the homes of accounts that earlier versions left', async () => {
    const { db } = context();
    const [next, last] = [await makeSite(db), await makeSite(db)];
    await setHomeFederationId();
    await joinSite(db, next, user.userId);
    await joinSite(db, last, user.userId);
    const link = { site_id: next, user_id: user.userId, federation_id: 'at-next' };
    await db.insertInto('identity_link').values(link).execute();
    const readHome = () =>
      db
        .selectFrom('account')
        .select(['home_site_id', 'federation_id'])
        .where('user_id', '=', user.userId)
        .executeTakeFirst();
    await correctHomes(db.withTables<never>());
    expect(await readHome()).toEqual({ home_site_id: siteId, federation_id: 'at-home' });
    await db
      .deleteFrom('membership')
      .where('user_id', '=', user.userId)
      .where('site_id', '=', siteId)
      .execute();
    await correctHomes(db.withTables<never>());
    expect(await readHome()).toEqual({ home_site_id: next, federation_id: 'at-next' });
    await setHomeFederationId();
    await db.insertInto('identity_link').values(link).execute();
    await correctHomes(db.withTables<never>());
    expect(await readHome()).toEqual({ home_site_id: next, federation_id: 'at-next' });
  });

  test('a temporary membership does not count as the remaining administrator', async () => {
    const guest = await makePerson(context().db, siteId);
    await sql`update membership set expires_at = now() + interval '1 day' where user_id = ${guest.userId}`.execute(
      context().db,
    );
    expect((await api.put('user', { id: admin.userId, isActive: false })).status).toBe(409);
  });
});
