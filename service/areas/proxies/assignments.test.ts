/** Proxy assignments: listing, replacing, adding and removing (spec 2.3, 4.2; shapes 2; T05, T06). */
import { beforeEach, describe, expect, test } from 'vitest';
import type { UserProxiesResponseVm } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const pair = (proxyUserId?: number, userId?: number) => ({ proxyUserId, userId });

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  let [a, b, c]: number[] = [];
  beforeEach(async () => {
    const { db, app } = context();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    api = as(app, admin);
    [a, b, c] = [
      await createUser('Ann', 'Lee'),
      await createUser('Bob', 'O_Neil'),
      await createUser('Cy', '50%'),
    ];
  });

  async function createUser(
    first: string,
    last: string,
    traits: { isActive?: boolean } = {},
  ): Promise<number> {
    const { userId } = await makePerson(context().db, siteId, {
      capabilities: ['Read Data'],
      email: `${first}.${crypto.randomUUID().slice(0, 8)}@${last.replaceAll(/\W/g, '')}.test`,
      ...traits,
    });
    const names = { first_name: first, last_name: last };
    await context().db.updateTable('account').set(names).where('user_id', '=', userId).execute();
    return userId;
  }

  const listProxies = async (query = '') =>
    (await api.get<UserProxiesResponseVm[]>(`user/proxy${query}`)).body.map(
      ({ proxyUser, users }) => [proxyUser.id, users.map(({ id }) => id)] as const,
    );
  const setProxies = (proxyUserId: unknown, users?: unknown) =>
    api.post<ErrorBody>('user/proxy', { proxyUserId, users });
  const listAuditRows = async (userId: number | undefined) =>
    (
      await context()
        .db.selectFrom('audit_log')
        .select(['actor_id', 'changes'])
        .where('site_id', '=', siteId)
        .where('action', '=', 'proxy.change')
        .where('subject_id', '=', String(userId))
        .orderBy('audit_id')
        .execute()
    ).map(({ actor_id, changes }) => [actor_id, changes]);
  const listMailSubjects = async (userId: number | undefined) =>
    (
      await context()
        .db.selectFrom('mail')
        .innerJoin('account', 'account.email', 'mail.recipient')
        .select(['subject', 'body_text'])
        .where('user_id', '=', userId ?? 0)
        .execute()
    ).map(({ subject }) => subject);

  describe('POST /user/proxy', () => {
    test('replaces the whole list; an empty list, null and an absent one remove it (spec 2.3)', async () => {
      expect((await setProxies(a, [b, c])).status).toBe(200);
      expect((await setProxies(a, [c, c])).status).toBe(200);
      expect(await listProxies()).toEqual([[a, [c]]]);
      for (const nothing of [[], null, undefined]) {
        await setProxies(a, [b]);
        expect((await setProxies(a, nothing)).status).toBe(200);
        expect(await listProxies()).toEqual([]);
      }
    });

    test('reports every error at its path and changes nothing', async () => {
      const resting = await createUser('Ruth', 'Rest', { isActive: false });
      await setProxies(a, [b]);
      const { status, body } = await setProxies(a, [c, a, 2_000_000_000, resting]);
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([
        400,
        ['users.2', 'users.1', 'users.3'],
      ]);
      const nobody = await setProxies(2_000_000_001, [2_000_000_000]);
      expect([nobody.status, nobody.body.errors?.map(({ path }) => path)]).toEqual([
        404,
        ['proxyUserId', 'users.0'],
      ]);
      expect((await setProxies(resting, [c])).body.errors).toMatchObject([{ path: 'proxyUserId' }]);
      expect(await listProxies()).toEqual([[a, [b]]]);
    });

    test('keeps assignments of users who are deactivated later', async () => {
      await setProxies(a, [b, c]);
      await api.put('user', { id: b, isActive: false });
      expect(await listProxies()).toEqual([[a, [b, c]]]);
      expect((await setProxies(a, [b])).status).toBe(200);
      await api.put('user', { id: a, isActive: false });
      expect([(await setProxies(a, [b])).status, (await setProxies(a, [b, c])).status]).toEqual([200, 400]);
      expect(await listProxies()).toEqual([[a, [b]]]);
    });

    test('allows mutual proxies; removing a user removes the assignments in both directions', async () => {
      await setProxies(a, [b]);
      await setProxies(b, [a, c]);
      await setProxies(c, [a]);
      expect(await listProxies()).toEqual([
        [a, [b]],
        [b, [a, c]],
        [c, [a]],
      ]);
      await api.del(`user/${a}`);
      expect(await listProxies()).toEqual([[b, [c]]]);
      expect((await listAuditRows(b)).at(-1)).toEqual([
        admin.userId,
        { principals: [[a], []], proxies: [[a], []] },
      ]);
      expect((await listAuditRows(c)).at(-1)).toEqual([admin.userId, { principals: [[a], []] }]);
    });

    test('is audited for both users and mailed once to each new principal', async () => {
      await setProxies(a, [b, c]);
      await setProxies(a, [c]);
      await setProxies(a, [c]);
      expect(await listAuditRows(a)).toEqual([
        [admin.userId, { principals: [[], [b, c]] }],
        [admin.userId, { principals: [[b], []] }],
      ]);
      expect(await listAuditRows(b)).toEqual([
        [admin.userId, { proxies: [[], [a]] }],
        [admin.userId, { proxies: [[a], []] }],
      ]);
      expect(
        [await listMailSubjects(a), await listMailSubjects(b), await listMailSubjects(c)].map(
          ({ length }) => length,
        ),
      ).toEqual([0, 1, 1]);
      expect((await listMailSubjects(c))[0]).toContain('Somebody may act for you');
    });

    test('rejects principals with capabilities that the caller lacks (T05)', async () => {
      const { db, app } = context();
      const helper = await makePerson(db, siteId, {
        capabilities: ['Access Web Service', 'Manage Proxies', 'Read Data'],
      });
      const boss = await makePerson(db, siteId, {
        capabilities: ['Read Data', 'Write Data', 'Manage Users'],
      });
      const calls = as(app, helper);
      for (const proxyUserId of [helper.userId, a]) {
        const { status, body } = await calls.post<ErrorBody>('user/proxy', {
          proxyUserId,
          users: [boss.userId],
        });
        expect([status, body.message]).toEqual([403, expect.stringContaining('Write Data')]);
        expect(body.message).not.toContain('Manage Users');
      }
      expect((await calls.post('user/proxy', { proxyUserId: a, users: [b] })).status).toBe(200);
      // Existing assignments may be kept and removed by any caller.
      await setProxies(a, [b, boss.userId]);
      expect((await calls.post('user/proxy', { proxyUserId: a, users: [boss.userId, c] })).status).toBe(200);
      expect((await calls.post('user/proxy', { proxyUserId: a, users: [] })).status).toBe(200);
    });

    test('rejects more than a thousand principals', async () => {
      expect(
        (
          await setProxies(
            a,
            Array.from({ length: 1001 }, (_, at) => at + 1),
          )
        ).status,
      ).toBe(400);
    });
  });

  describe('POST /user/proxy/changes', () => {
    test('adds and removes pairs, keeps the others, and ignores existing and missing ones', async () => {
      await setProxies(a, [b]);
      const changes = { add: [pair(a, b), pair(a, c), pair(b, c)], remove: [pair(c, b)] };
      expect((await api.post('user/proxy/changes', changes)).status).toBe(204);
      expect(await listProxies()).toEqual([
        [a, [b, c]],
        [b, [c]],
      ]);
      await api.post('user/proxy/changes', { remove: [pair(a, b), pair(b, c)] });
      expect(await listProxies()).toEqual([[a, [c]]]);
    });

    test('reports every error at its path and changes nothing', async () => {
      await setProxies(a, [b]);
      const { status, body } = await api.post<ErrorBody>('user/proxy/changes', {
        add: [pair(b, b), pair(2_000_000_000, a), pair(b, a)],
        remove: [pair(a, 2_000_000_001), pair(a, b)],
      });
      expect([status, body.errors?.map(({ path }) => path).toSorted()]).toEqual([
        400,
        ['add.0.userId', 'add.1.proxyUserId', 'remove.0.userId'],
      ]);
      const both = await api.post<ErrorBody>('user/proxy/changes', {
        add: [pair(a, b)],
        remove: [pair(a, b)],
      });
      expect([both.status, both.body.errors?.[0]?.path]).toEqual([400, 'add.0.userId']);
      expect(await listProxies()).toEqual([[a, [b]]]);
    });

    test('loses no concurrent change', async () => {
      const others = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => createUser(`P${at}`, 'Q')));
      await Promise.all(others.map((id) => api.post('user/proxy/changes', { add: [pair(a, id)] })));
      expect(await listProxies()).toEqual([[a, others.toSorted((one, other) => one - other)]]);
    });
  });

  describe('GET /user/proxy', () => {
    beforeEach(async () => {
      await setProxies(a, [b, c]);
      await setProxies(b, [c]);
      await setProxies(c, [a]);
    });

    test.each([
      ['proxyQuery=ann', ['a']],
      ['proxyQuery=ANN%20le', ['a']],
      ['proxyQuery=o_n', ['b']],
      ['proxyQuery=_', ['b']],
      ['proxyQuery=%25', ['c']],
      ['proxyQuery=%5C', []],
      ['userQuery=cy', ['a', 'b']],
      ['userQuery=cy&proxyQuery=bob', ['b']],
      ['userQuery=lee.test', []],
      ['userQuery=LEE.test&searchByName=false', ['c']],
      ['proxyQuery=ann%20&searchByName=false', []],
      ['proxyQuery=', ['a', 'b', 'c']],
    ])('%s finds %j', async (query, expected) => {
      const ids = { a, b, c } as Record<string, number | undefined>;
      expect((await listProxies(`?${query}`)).map(([id]) => id)).toEqual(expected.map((name) => ids[name]));
    });

    test('ignores the case of all letters', async () => {
      const zoe = await createUser('Zoë', 'Ökten');
      await setProxies(zoe, [a]);
      expect(await listProxies(`?proxyQuery=${encodeURIComponent('ZOË ök')}`)).toEqual([[zoe, [a]]]);
    });

    test('lists all principals of a matching proxy user, so that the list can be sent back', async () => {
      expect(await listProxies('?userQuery=bob')).toEqual([[a, [b, c]]]);
      expect(await listProxies(`?userId=${c}`)).toEqual([
        [a, [b, c]],
        [b, [c]],
      ]);
      expect(await listProxies(`?proxyUserId=${b}&userId=${b}`)).toEqual([]);
      const { body } = await api.get<UserProxiesResponseVm[]>(`user/proxy?proxyUserId=${c}`);
      expect(body).toMatchObject([
        {
          proxyUser: { id: c, fullName: 'Cy 50%' },
          users: [{ id: a, fullName: 'Ann Lee' }],
          selfAssigned: [],
        },
      ]);
      // The administrator assigns two users to themself, and another proxy to one of them.
      await setProxies(admin.userId, [a, b]);
      const own = await api.get<UserProxiesResponseVm[]>(`user/proxy?proxyUserId=${admin.userId}`);
      expect(own.body).toMatchObject([{ selfAssigned: [a, b] }]);
    });

    test('is paged by proxy user', async () => {
      expect((await listProxies('?pageSize=2')).map(([id]) => id)).toEqual([a, b]);
      expect((await listProxies('?pageSize=2&pageNumber=2')).map(([id]) => id)).toEqual([c]);
      expect(await listProxies('?pageSize=2&pageNumber=3')).toEqual([]);
    });
  });
});
