import { beforeEach, describe, expect, test } from 'vitest';
import type { GroupInfoResponse, UserGroupEntityVm } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const uniqueName = () => `Analysts ${crypto.randomUUID()}`;
const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  let groups: number[] = [];
  let people: number[] = [];
  beforeEach(async () => {
    const { db, app } = context();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    api = as(app, admin);
    groups = await Promise.all([1, 2, 3].map(() => makeGroup(db, siteId)));
    const members = await Promise.all([1, 2, 3].map(() => makePerson(db, siteId, { capabilities: [] })));
    people = members.map(({ userId }) => userId).toSorted((a, b) => a - b);
  });

  const listMemberIds = async (groupId: number) => {
    const { body } = await api.get<{ id: number }[]>(`user?userGroupId=${groupId}&pageSize=1000`);
    return body.map(({ id }) => id);
  };
  const readGroup = async (groupId: number) =>
    (await api.get<UserGroupEntityVm>(`user/group/${groupId}`)).body;

  describe('PUT and DELETE /user/group (spec 4.2)', () => {
    test('PUT adds every user to every group and never replaces', async () => {
      const [a = 0, b = 0, c = 0] = people;
      const [first = 0, second = 0, third = 0] = groups;
      expect((await api.put('user/group', [{ userIds: [a], groupIds: [first] }])).status).toBeLessThan(205);
      await api.put('user/group', [
        { userIds: [b, c], groupIds: [first, second] },
        { userIds: [a, a], groupIds: [third, third] },
      ]);
      expect(await Promise.all(groups.map(listMemberIds))).toEqual([[a, b, c], [b, c], [a]]);
    });

    test('DELETE removes only the listed pairs and ignores missing ones', async () => {
      const [a = 0, b = 0] = people;
      const [first = 0, second = 0] = groups;
      await api.put('user/group', [{ userIds: [a, b], groupIds: [first, second] }]);
      expect(
        (await api.del('user/group', [{ userIds: [a], groupIds: [first, ...groups.slice(2)] }])).status,
      ).toBeLessThan(205);
      expect(await Promise.all(groups.map(listMemberIds))).toEqual([[b], [a, b], []]);
    });

    test.each(['put', 'del'] as const)(
      '%s without a body, with an invalid one or with an empty list is 400',
      async (verb) => {
        for (const body of [
          undefined,
          '',
          '[]',
          '{}',
          '[{}]',
          [{ userIds: [], groupIds: groups }],
          [{ userIds: people }],
        ]) {
          expect((await api[verb]('user/group', body)).status).toBe(400);
        }
      },
    );

    test('DELETE that names no users removes nobody, whatever the body is', async () => {
      await api.put('user/group', [{ userIds: people, groupIds: groups }]);
      const type = { headers: { 'content-type': 'application/json' } };
      for (const body of [undefined, '', ' ', 'null', '[]', '[null]', '{}', '""', '[{"userIds":[]}]'])
        expect((await api.del('user/group', body, type)).status).toBe(400);
      expect((await api.del('user/group?userIds=1', undefined)).status).toBe(400);
      for (const groupId of groups) expect(await listMemberIds(groupId)).toEqual(people);
    });

    test.each(['put', 'del'] as const)(
      '%s changes all or nothing: unknown and foreign ids are 400 at their paths',
      async (verb) => {
        const foreign = await makePerson(context().db, await makeSite(context().db));
        const [first = 0] = groups;
        if (verb === 'del') await api.put('user/group', [{ userIds: people, groupIds: [first] }]);
        const before = await listMemberIds(first);
        const { status, body } = await api[verb]<ErrorBody>('user/group', [
          { userIds: people, groupIds: [first] },
          { userIds: [people[0], foreign.userId], groupIds: [first, foreign.groupId, 2_147_483_647] },
        ]);
        expect(status).toBe(400);
        expect(body.errors?.map(({ path }) => path)).toEqual(['1.userIds.1', '1.groupIds.1', '1.groupIds.2']);
        expect(await listMemberIds(first)).toEqual(before);
      },
    );

    test('adds 1,000 distinct pairs in one request and removes them in another', async () => {
      const { db } = context();
      const many = await Promise.all(range(0, 97).map(() => makeGroup(db, siteId)));
      const more = await Promise.all(range(0, 7).map(() => makePerson(db, siteId, { capabilities: [] })));
      const thousand = [
        {
          userIds: [...people, ...more.map(({ userId }) => userId)],
          groupIds: [...groups, ...many],
        },
      ];
      expect((await api.put('user/group', thousand)).status).toBe(200);
      const counts = (await api.get<GroupInfoResponse[]>('user/group?pageSize=1000')).body
        .filter(({ id }) => [...groups, ...many].includes(id))
        .map(({ userCount }) => userCount);
      expect(counts).toEqual(range(0, 100).map(() => 10));
      expect((await api.del('user/group', [...thousand, ...thousand])).status).toBe(400);
      expect((await api.del('user/group', thousand)).status).toBe(200);
      expect(await listMemberIds(groups[0] ?? 0)).toEqual([]);
    });

    test('accepts 1,000 pairs and rejects more with 400', async () => {
      const [first = 0] = groups;
      const many = [{ userIds: range(1, 501), groupIds: [first, groups[1]] }];
      const { status, body } = await api.put<ErrorBody>('user/group', many);
      expect([status, body.message]).toEqual([
        400,
        'body: must contain at most 1000 user and group pairs, not 1002',
      ]);
      expect((await api.del<ErrorBody>('user/group', many)).body.errors).toEqual(body.errors);
      const repeated = [
        { userIds: Array.from({ length: 500 }, () => people[0]), groupIds: [first, groups[1]] },
      ];
      expect((await api.put('user/group', repeated)).status).toBeLessThan(205);
    });

    test('rejects assigning or unassigning a group with capabilities the caller lacks (T05)', async () => {
      const weak = await makePerson(context().db, siteId, {
        capabilities: ['Access Web Service', 'Manage Groups'],
      });
      const strong = await makeGroup(context().db, siteId, ['Manage Users']);
      const pair = [{ userIds: [weak.userId], groupIds: [strong] }];
      expect((await as(context().app, weak).put('user/group', pair)).status).toBe(403);
      await api.put(
        'user/group',
        pair.map((item) => ({ ...item, userIds: people })),
      );
      expect(
        (
          await as(context().app, weak).del(
            'user/group',
            pair.map((item) => ({ ...item, userIds: people })),
          )
        ).status,
      ).toBe(403);
      expect(await listMemberIds(strong)).toEqual(people);
    });
  });

  describe('groups', () => {
    test('are created, read, listed with their user count, updated and deleted', async () => {
      const name = uniqueName();
      const created = await api.post<number>('user/group', {
        name: ` ${name} `,
        description: 'Read',
        capabilities: ['Read Data'],
      });
      const id = created.body;
      await api.put('user/group', [{ userIds: people, groupIds: [id] }]);
      const shown = { id, name, description: 'Read', userCount: 3 };
      expect(await readGroup(id)).toEqual({
        ...shown,
        entryId: expect.any(Number) as unknown,
        capabilities: ['Read Data'],
      });
      const { body: list } = await api.get<GroupInfoResponse[]>('user/group?pageSize=1000');
      expect(list).toContainEqual(shown);
      expect((await api.put(`user/group/${id}`, { description: null })).body).toBe(id);
      expect(await readGroup(id)).toMatchObject({ name, description: null, capabilities: ['Read Data'] });
      expect((await api.del(`user/group/${id}`)).body).toBe(id);
      expect((await api.get(`user/group/${id}`)).status).toBe(404);
      expect((await api.get<{ groups: number[] }>(`user/${people[0]}`)).body.groups).not.toContain(id);
    });

    test('are listed in pages that are disjoint and complete', async () => {
      const pages: GroupInfoResponse[][] = [];
      do
        pages.push(
          (await api.get<GroupInfoResponse[]>(`user/group?pageSize=2&pageNumber=${pages.length + 1}`)).body,
        );
      while (pages.at(-1)?.length === 2);
      expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 1]);
      expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(7);
      expect((await api.get('user/group?pageSize=1001')).status).toBe(400);
    });

    test('have names that are unique on a site, ignoring case, and free on another site', async () => {
      const name = uniqueName();
      const { body: id } = await api.post<number>('user/group', { name });
      const refused = await api.post<ErrorBody>('user/group', { name: name.toUpperCase() });
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([409, 'name']);
      expect((await api.put(`user/group/${groups[0]}`, { name })).status).toBe(409);
      expect((await api.put(`user/group/${id}`, { name: name.toUpperCase() })).status).toBe(200);
      const elsewhere = as(context().app, await makePerson(context().db, await makeSite(context().db)));
      expect((await elsewhere.post('user/group', { name })).status).toBe(200);
    });

    test.each([
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'A', capabilities: ['Everything'] },
      { name: 'A', userCount: 1 },
      { name: ' ' },
    ])('%j is 400', async (body) => {
      expect((await api.post('user/group', body)).status).toBe(400);
    });

    test('honor If-Match, also when deleted', async () => {
      const path = `user/group/${groups[0]}`;
      const first = String((await api.get(path)).headers.etag);
      const stale = { headers: { 'if-match': first } };
      expect((await api.put(path, { description: 'One' }, stale)).status).toBe(200);
      expect((await api.put(path, { description: 'Two' }, stale)).status).toBe(412);
      expect((await api.del(path, undefined, stale)).status).toBe(412);
      const second = { headers: { 'if-match': String((await api.get(path)).headers.etag) } };
      expect((await api.del(path, undefined, second)).status).toBe(200);
    });

    test('cannot be given or deprived of capabilities that the caller lacks (T05)', async () => {
      const weak = as(
        context().app,
        await makePerson(context().db, siteId, { capabilities: ['Access Web Service', 'Manage Groups'] }),
      );
      expect(
        (await weak.post('user/group', { name: uniqueName(), capabilities: ['Manage Groups'] })).status,
      ).toBe(200);
      const refused = await weak.post<ErrorBody>('user/group', {
        name: uniqueName(),
        capabilities: ['Manage Users', 'Manage Groups'],
      });
      expect([refused.status, refused.body.message]).toMatchObject([
        403,
        'Changing these capabilities needs capabilities that you do not hold: Manage Users',
      ]);
      const strong = await makeGroup(context().db, siteId, ['Manage Backups']);
      expect((await weak.put(`user/group/${strong}`, { capabilities: [] })).status).toBe(403);
      expect((await weak.del(`user/group/${strong}`)).status).toBe(403);
      expect((await weak.put(`user/group/${strong}`, { description: 'Harmless' })).status).toBe(200);
    });
  });
});
