/** Who may act for whom: listing, replacing, adding and removing (spec 2.3, 4.2; shapes 2; T05, T06). */
import { beforeEach, describe, expect, test } from 'vitest';
import type { UserProxiesResponseVm } from '../../../contract/generated/types.gen.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const pair = (proxyUserId?: number, userId?: number) => ({ proxyUserId, userId });

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let api: Calls;
  let [a, b, c]: number[] = [];
  beforeEach(async () => {
    const { db, app } = house();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    api = as(app, admin);
    [a, b, c] = [await person('Ann', 'Lee'), await person('Bob', 'O_Neil'), await person('Cy', '50%')];
  });

  async function person(first: string, last: string, traits: { isActive?: boolean } = {}): Promise<number> {
    const { userId } = await makePerson(house().db, siteId, {
      capabilities: ['Read Data'],
      email: `${first}.${crypto.randomUUID().slice(0, 8)}@${last.replaceAll(/\W/g, '')}.test`,
      ...traits,
    });
    const names = { first_name: first, last_name: last };
    await house().db.updateTable('account').set(names).where('user_id', '=', userId).execute();
    return userId;
  }

  const list = async (query = '') =>
    (await api.get<UserProxiesResponseVm[]>(`user/proxy${query}`)).body.map(
      ({ proxyUser, users }) => [proxyUser.id, users.map(({ id }) => id)] as const,
    );
  const set = (proxyUserId: unknown, users?: unknown) =>
    api.post<Refusal>('user/proxy', { proxyUserId, users });
  const audited = async (userId: number | undefined) =>
    (
      await house()
        .db.selectFrom('audit_log')
        .select(['actor_id', 'changes'])
        .where('site_id', '=', siteId)
        .where('action', '=', 'proxy.change')
        .where('subject_id', '=', String(userId))
        .orderBy('audit_id')
        .execute()
    ).map(({ actor_id, changes }) => [actor_id, changes]);
  const mails = async (userId: number | undefined) =>
    (
      await house()
        .db.selectFrom('mail')
        .innerJoin('account', 'account.email', 'mail.recipient')
        .select(['subject', 'body_text'])
        .where('user_id', '=', userId ?? 0)
        .execute()
    ).map(({ subject }) => subject);

  describe('POST /user/proxy', () => {
    test('replaces the whole list; empty, null and nothing remove it (spec 2.3)', async () => {
      expect((await set(a, [b, c])).status).toBe(200);
      expect((await set(a, [c, c])).status).toBe(200);
      expect(await list()).toEqual([[a, [c]]]);
      for (const nothing of [[], null, undefined]) {
        await set(a, [b]);
        expect((await set(a, nothing)).status).toBe(200);
        expect(await list()).toEqual([]);
      }
    });

    test('tells every fault at its path, and changes nothing then', async () => {
      const resting = await person('Ruth', 'Rest', { isActive: false });
      await set(a, [b]);
      const { status, body } = await set(a, [c, a, 2_000_000_000, resting]);
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([
        400,
        ['users.2', 'users.1', 'users.3'],
      ]);
      const nobody = await set(2_000_000_001, [2_000_000_000]);
      expect([nobody.status, nobody.body.errors?.map(({ path }) => path)]).toEqual([
        404,
        ['proxyUserId', 'users.0'],
      ]);
      expect((await set(resting, [c])).body.errors).toMatchObject([{ path: 'proxyUserId' }]);
      expect(await list()).toEqual([[a, [b]]]);
    });

    test('an assignment to somebody who is deactivated later rests: it is listed, and may stay in the list', async () => {
      await set(a, [b, c]);
      await api.put('user', { id: b, isActive: false });
      expect(await list()).toEqual([[a, [b, c]]]);
      expect((await set(a, [b])).status).toBe(200);
      await api.put('user', { id: a, isActive: false });
      expect([(await set(a, [b])).status, (await set(a, [b, c])).status]).toEqual([200, 400]);
      expect(await list()).toEqual([[a, [b]]]);
    });

    test('two may be each other’s proxies, and whoever leaves takes their assignments along in both directions', async () => {
      await set(a, [b]);
      await set(b, [a, c]);
      await set(c, [a]);
      expect(await list()).toEqual([
        [a, [b]],
        [b, [a, c]],
        [c, [a]],
      ]);
      await api.del(`user/${a}`);
      expect(await list()).toEqual([[b, [c]]]);
      expect((await audited(b)).at(-1)).toEqual([
        admin.userId,
        { principals: [[a], []], proxies: [[a], []] },
      ]);
      expect((await audited(c)).at(-1)).toEqual([admin.userId, { principals: [[a], []] }]);
    });

    test('is audited for both people and mailed to whoever can be acted for, once', async () => {
      await set(a, [b, c]);
      await set(a, [c]);
      await set(a, [c]);
      expect(await audited(a)).toEqual([
        [admin.userId, { principals: [[], [b, c]] }],
        [admin.userId, { principals: [[b], []] }],
      ]);
      expect(await audited(b)).toEqual([
        [admin.userId, { proxies: [[], [a]] }],
        [admin.userId, { proxies: [[a], []] }],
      ]);
      expect([await mails(a), await mails(b), await mails(c)].map(({ length }) => length)).toEqual([0, 1, 1]);
      expect((await mails(c))[0]).toContain('Somebody may act for you');
    });

    test('nobody lets a proxy, themselves or another, reach what they do not hold (T05)', async () => {
      const { db, app } = house();
      const helper = await makePerson(db, siteId, {
        capabilities: ['Access Web Service', 'Manage Proxies', 'Read Data'],
      });
      const boss = await makePerson(db, siteId, {
        capabilities: ['Read Data', 'Write Data', 'Manage Users'],
      });
      const calls = as(app, helper);
      for (const proxyUserId of [helper.userId, a]) {
        const { status, body } = await calls.post<Refusal>('user/proxy', {
          proxyUserId,
          users: [boss.userId],
        });
        expect([status, body.message]).toEqual([403, expect.stringContaining('Write Data')]);
        expect(body.message).not.toContain('Manage Users');
      }
      expect((await calls.post('user/proxy', { proxyUserId: a, users: [b] })).status).toBe(200);
      // What is there already may stay and go whoever works on the list.
      await set(a, [b, boss.userId]);
      expect((await calls.post('user/proxy', { proxyUserId: a, users: [boss.userId, c] })).status).toBe(200);
      expect((await calls.post('user/proxy', { proxyUserId: a, users: [] })).status).toBe(200);
    });

    test('nobody acts for more than a thousand', async () => {
      expect(
        (
          await set(
            a,
            Array.from({ length: 1001 }, (_, at) => at + 1),
          )
        ).status,
      ).toBe(400);
    });
  });

  describe('POST /user/proxy/changes', () => {
    test('adds and removes pairs, others stay; what is there or not there already is no fault', async () => {
      await set(a, [b]);
      const changes = { add: [pair(a, b), pair(a, c), pair(b, c)], remove: [pair(c, b)] };
      expect((await api.post('user/proxy/changes', changes)).status).toBe(204);
      expect(await list()).toEqual([
        [a, [b, c]],
        [b, [c]],
      ]);
      await api.post('user/proxy/changes', { remove: [pair(a, b), pair(b, c)] });
      expect(await list()).toEqual([[a, [c]]]);
    });

    test('tells every fault at its path, and changes nothing then', async () => {
      await set(a, [b]);
      const { status, body } = await api.post<Refusal>('user/proxy/changes', {
        add: [pair(b, b), pair(2_000_000_000, a), pair(b, a)],
        remove: [pair(a, 2_000_000_001), pair(a, b)],
      });
      expect([status, body.errors?.map(({ path }) => path).toSorted()]).toEqual([
        400,
        ['add.0.userId', 'add.1.proxyUserId', 'remove.0.userId'],
      ]);
      const both = await api.post<Refusal>('user/proxy/changes', { add: [pair(a, b)], remove: [pair(a, b)] });
      expect([both.status, both.body.errors?.[0]?.path]).toEqual([400, 'add.0.userId']);
      expect(await list()).toEqual([[a, [b]]]);
    });

    test('of changes at the same moment none is lost', async () => {
      const others = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => person(`P${at}`, 'Q')));
      await Promise.all(others.map((id) => api.post('user/proxy/changes', { add: [pair(a, id)] })));
      expect(await list()).toEqual([[a, others.toSorted((one, other) => one - other)]]);
    });
  });

  describe('GET /user/proxy', () => {
    beforeEach(async () => {
      await set(a, [b, c]);
      await set(b, [c]);
      await set(c, [a]);
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
      expect((await list(`?${query}`)).map(([id]) => id)).toEqual(expected.map((name) => ids[name]));
    });

    test('shows everybody a found proxy user may act for, so that the list can be sent back', async () => {
      expect(await list('?userQuery=bob')).toEqual([[a, [b, c]]]);
      expect(await list(`?userId=${c}`)).toEqual([
        [a, [b, c]],
        [b, [c]],
      ]);
      expect(await list(`?proxyUserId=${b}&userId=${b}`)).toEqual([]);
      const { body } = await api.get<UserProxiesResponseVm[]>(`user/proxy?proxyUserId=${c}`);
      expect(body).toMatchObject([
        { proxyUser: { id: c, fullName: 'Cy 50%' }, users: [{ id: a, fullName: 'Ann Lee' }] },
      ]);
    });

    test('comes by pages of proxy users', async () => {
      expect((await list('?pageSize=2')).map(([id]) => id)).toEqual([a, b]);
      expect((await list('?pageSize=2&pageNumber=2')).map(([id]) => id)).toEqual([c]);
      expect(await list('?pageSize=2&pageNumber=3')).toEqual([]);
    });
  });
});
