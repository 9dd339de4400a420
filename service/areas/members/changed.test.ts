/** What a change tells: every field that differs as [before, after], everybody and every group it touches, nothing else. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Calls } from '../../testing/calls.ts';
import { as, joinSite, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let user: Person;
  let api: Calls;
  let groupId = 0;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    admin = await makePerson(house().db, siteId);
    user = await makePerson(house().db, siteId, { capabilities: [] });
    groupId = await makeGroup(house().db, siteId);
    api = as(house().app, admin);
  });

  /** The audit rows of a site: action, subject, changes. */
  async function audits(site = siteId): Promise<unknown[]> {
    const rows = await house()
      .db.selectFrom('audit_log')
      .select(['action', 'subject_id', 'changes'])
      .where('site_id', '=', site)
      .orderBy('audit_id')
      .execute();
    return rows.map((row) => [row.action, Number(row.subject_id), row.changes]);
  }
  /** The events of a site: of what kind, and the ids and members they name. */
  async function events(site = siteId): Promise<unknown[]> {
    const { rows } = await sql<{ type: string; kind: string; entity: Record<string, unknown> }>`
      select payload ->> 'entityType' as type, e.key as kind, e.value -> 0 as entity
      from topic_event, jsonb_each(payload -> 'payload' -> 'entities') e where site_id = ${site} order by off`.execute(
      house().db,
    );
    return rows.map(({ type, kind, entity }) => {
      const { id, added, removed } = entity;
      return type === 'Users' ? [type, kind, id] : [type, kind, id, added ?? null, removed ?? null];
    });
  }
  const tagOf = async (path: string) => String((await api.get(path)).headers.etag);
  const pair = () => [{ userIds: [user.userId], groupIds: [groupId] }];

  const came = () => [
    ['UserGroups', 'updated', groupId, [user.userId], null],
    ['Users', 'updated', user.userId],
  ];
  const went = () => [
    ['UserGroups', 'updated', groupId, null, [user.userId]],
    ['Users', 'updated', user.userId],
  ];

  test('a change that began before another one and came after it does not take modifiedDate back', async () => {
    const other = new Date(Date.now() + 60_000);
    await house()
      .db.updateTable('membership')
      .set({ modified_at: other })
      .where('user_id', '=', user.userId)
      .execute();
    await api.put('user', { id: user.userId, lastName: 'Later' });
    const { body } = await api.get<{ modifiedDate: string }>(`user/${user.userId}`);
    expect(body.modifiedDate).toBe(other.toISOString());
  });

  describe('an audit row says [before, after] of every field that differs', () => {
    test('of a group: created, changed, deleted', async () => {
      const { body: id } = await api.post<number>('user/group', { name: 'A', capabilities: ['Read Data'] });
      await api.put(`user/group/${id}`, { name: 'B', description: 'Two', capabilities: ['Read Data'] });
      await api.del(`user/group/${id}`);
      expect(await audits()).toEqual([
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

    test('of a user: created, changed, removed', async () => {
      const email = `${crypto.randomUUID()}@x.test`;
      const { body: id } = await api.post<number>('user', { email, firstName: 'A', lastName: 'B' });
      await api.put('user', { id, lastName: 'C', isActive: true });
      await api.del(`user/${id}`);
      expect(await audits()).toMatchObject([
        ['user.create', id, { email: [null, email], isActive: [null, true], licenseTypeId: [null, 1] }],
        ['user.update', id, { lastName: ['B', 'C'] }],
        ['user.remove', id, { email: [email, null], lastName: ['C', null] }],
      ]);
    });

    test('an empty or identical change of a group leaves audit, events and entity tag alone', async () => {
      const path = `user/group/${groupId}`;
      await api.put(path, { capabilities: ['Read Data', 'Write Data'] });
      const before = [await audits(), await events(), await tagOf(path)];
      const { name } = (await api.get<{ name: string }>(path)).body;
      for (const body of [{}, { name }, { name: ` ${name} `, capabilities: ['Write Data', 'Read Data'] }])
        expect((await api.put(path, body)).status).toBe(200);
      expect([await audits(), await events(), await tagOf(path)]).toEqual(before);
    });
  });

  describe('who is in which group', () => {
    test('the same is told whether the groups of a user or the users of a group are set', async () => {
      await api.put('user/group', pair());
      expect(await events()).toEqual(came());
      await api.del('user/group', pair());
      await api.put('user', { id: user.userId, groups: [user.groupId, groupId] });
      await api.put('user', { id: user.userId, groups: [user.groupId] });
      expect(await events()).toEqual([...came(), ...went(), ...came(), ...went()]);
      const changed = (action: string, members: unknown, groups: unknown) => [
        [`group.${action}`, groupId, { members }],
        [expect.any(String), user.userId, { groups }],
      ];
      const [few, many] = [[user.groupId], [user.groupId, groupId]];
      const both = [
        ...changed('assign', [[], [user.userId]], [few, many]),
        ...changed('unassign', [[user.userId], []], [many, few]),
      ];
      expect(await audits()).toEqual([...both, ...both]);
    });

    test('pairs that were there, and people whom nothing happened to, are not touched', async () => {
      await api.put('user/group', pair());
      const other = await makePerson(house().db, siteId, { capabilities: [] });
      const before = [await tagOf(`user/${user.userId}`), await tagOf(`user/${other.userId}`)];
      const told = (await events()).length;
      await api.put('user/group', pair());
      await api.del('user/group', [{ userIds: [other.userId], groupIds: [groupId] }]);
      expect((await events()).length).toBe(told);
      await api.put('user/group', [{ userIds: [user.userId, other.userId], groupIds: [groupId] }]);
      expect((await events()).slice(told)).toEqual([
        ['UserGroups', 'updated', groupId, [other.userId], null],
        ['Users', 'updated', other.userId],
      ]);
      expect(await tagOf(`user/${user.userId}`)).toBe(before[0]);
      expect(await tagOf(`user/${other.userId}`)).not.toBe(before[1]);
    });

    test('a deleted group tells of its members, a removed user of its groups', async () => {
      await api.put('user/group', pair());
      await api.del(`user/group/${groupId}`);
      await api.del(`user/${user.userId}`);
      expect((await events()).slice(2)).toEqual([
        ['UserGroups', 'deleted', groupId, null, [user.userId]],
        ['Users', 'updated', user.userId],
        ['Users', 'deleted', user.userId],
        ['UserGroups', 'updated', user.groupId, null, [user.userId]],
      ]);
    });

    test('the entity tag of a group changes with its count of users, each time', async () => {
      const path = `user/group/${groupId}`;
      const email = `${crypto.randomUUID()}@x.test`;
      const tags = [await tagOf(path)];
      const then = async (deed: Promise<unknown>) => {
        await deed;
        tags.push(await tagOf(path));
      };
      await then(api.put('user/group', pair()));
      await then(api.del('user/group', pair()));
      await then(api.put('user', { id: user.userId, groups: [groupId] }));
      await then(api.post('user', { email, firstName: 'A', lastName: 'B', groups: [groupId] }));
      await then(api.del(`user/${user.userId}`));
      expect(new Set(tags).size).toBe(tags.length);
    });
  });

  describe('an account on several sites', () => {
    let elsewhere = 0;
    beforeEach(async () => {
      elsewhere = await makeSite(house().db);
      await joinSite(house().db, elsewhere, user.userId);
    });

    test('its changes are told on each of them, without who made them; those of a membership here alone', async () => {
      await api.put('user', { id: user.userId, lastName: 'Lund', twoFactorEnabled: true });
      await api.put('user', { id: user.userId, twoFactorEnabled: true, groups: [groupId] });
      const lastName = ['Okafor', 'Lund'];
      expect((await audits())[0]).toEqual([
        'user.update',
        user.userId,
        { lastName, twoFactorEnabled: [false, true] },
      ]);
      expect(await audits(elsewhere)).toEqual([['user.update', user.userId, { lastName }]]);
      expect(await events(elsewhere)).toEqual([['Users', 'updated', user.userId]]);
      const { rows } =
        await sql`select payload ->> 'modifiedById' as by, payload ->> 'modifiedByUserEmail' as email
        from topic_event where site_id = ${elsewhere}`.execute(house().db);
      expect(rows).toEqual([{ by: null, email: null }]);
    });

    test('when its home lets it go, the site of its oldest membership may change it', async () => {
      await joinSite(house().db, await makeSite(house().db), user.userId);
      const there = as(house().app, await makePerson(house().db, elsewhere));
      const rename = () => there.put('user', { id: user.userId, lastName: 'Lund' });
      expect((await rename()).status).toBe(409);
      expect((await api.del(`user/${user.userId}`)).status).toBe(200);
      expect((await rename()).status).toBe(200);
      expect((await audits(elsewhere))[0]).toEqual([
        'user.home',
        user.userId,
        { homeSiteId: [siteId, elsewhere] },
      ]);
    });
  });

  test('a membership that runs out does not count as the administrator that remains', async () => {
    const guest = await makePerson(house().db, siteId);
    await sql`update membership set expires_at = now() + interval '1 day' where user_id = ${guest.userId}`.execute(
      house().db,
    );
    expect((await api.put('user', { id: admin.userId, isActive: false })).status).toBe(409);
  });
});
