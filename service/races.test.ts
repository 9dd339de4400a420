/** What holds when many act at the same moment. */
import { beforeAll, describe, expect, test } from 'vitest';
import { administratorRemains } from './kernel/auth/store.ts';
import { withTransaction } from './kernel/db/transaction.ts';
import type { Calls, Reply } from './testing/calls.ts';
import { as, everything, makeGroup, makePerson, makeSite, onEachApp, type Person } from './testing/site.ts';

const times = (count: number) => Array.from({ length: count }, (_, at) => at);
const noAdministration = everything.filter((capability) => capability !== 'Manage Users');

/** Every way to lose an administrator. */
const ways: readonly (readonly [string, (calls: Calls, whom: Person) => Promise<Reply<unknown>>])[] = [
  ['deactivate', (calls, whom) => calls.put('user', { id: whom.userId, isActive: false })],
  ['remove', (calls, whom) => calls.del(`user/${whom.userId}`)],
  ['No License', (calls, whom) => calls.put('userLicense', { userId: whom.userId, licenseTypeId: 4 })],
  [
    'unassign',
    (calls, whom) => calls.del('user/group', [{ userIds: [whom.userId], groupIds: [whom.groupId] }]),
  ],
  ['other groups', (calls, whom) => calls.put('user', { id: whom.userId, groups: [] })],
  [
    'weaker group',
    (calls, whom) => calls.put(`user/group/${whom.groupId}`, { capabilities: noAdministration }),
  ],
  ['delete group', (calls, whom) => calls.del(`user/group/${whom.groupId}`)],
];
const pairs = ways.flatMap((first, at) =>
  ways.slice(at).map((second) => [first[0], second[0], first[1], second[1]] as const),
);
/** The embedded database takes one transaction at a time: there nothing can race, and one round of each shows it. */
const rounds = { postgres: 2, embedded: 1 };

const SIDES = 8;
/** Each meets seven others: of those that read the same, one may win. Where a tag is not asked for, dozens are lost. */
const EACH = 6;
const fromEightSides = (one: () => Promise<void>) =>
  Promise.all(
    times(SIDES).map(async () => {
      for (const _ of times(EACH)) await one();
    }),
  );
const ALL = String(SIDES * EACH);

onEachApp((house) => {
  describe('lost update: of many changes by If-Match from eight sides none is lost', () => {
    let api: Calls;
    let admin: Person;
    beforeAll(async () => {
      admin = await makePerson(house().db, await makeSite(house().db));
      api = as(house().app, admin);
    });

    /** Reads, adds one, writes with the tag that was read, until it is not refused. */
    async function increment(
      path: string,
      write: (value: string, headers: Record<string, string>) => Promise<Reply<unknown>>,
      read: (body: Record<string, string>) => string | undefined,
    ): Promise<void> {
      for (;;) {
        const { body, headers } = await api.get<Record<string, string>>(path);
        const reply = await write(String(Number(read(body)) + 1), { 'if-match': String(headers.etag) });
        if (reply.status === 200) return;
        expect(reply.status).toBe(412);
      }
    }

    test('of a user', async () => {
      const path = `user/${admin.userId}`;
      await api.put('user', { id: admin.userId, lastName: '0' });
      await fromEightSides(() =>
        increment(
          path,
          (lastName, headers) => api.put('user', { id: admin.userId, lastName }, { headers }),
          ({ lastName }) => lastName,
        ),
      );
      expect((await api.get(path)).body).toMatchObject({ lastName: ALL });
    });

    test('of a group', async () => {
      const path = `user/group/${await makeGroup(house().db, admin.siteId)}`;
      await api.put(path, { description: '0' });
      await fromEightSides(() =>
        increment(
          path,
          (description, headers) => api.put(path, { description }, { headers }),
          ({ description }) => description,
        ),
      );
      expect((await api.get(path)).body).toMatchObject({ description: ALL });
    });
  });

  describe.each(pairs)('an administrator remains: %s against %s', (_first, _second, one, other) => {
    test('when both happen at the same time (T07)', async () => {
      for (const round of times(rounds[house().database.kind])) {
        const siteId = await makeSite(house().db);
        const [a, b] = await Promise.all([makePerson(house().db, siteId), makePerson(house().db, siteId)]);
        // Each the other in one half of the rounds, each themselves in the other half.
        const [ofA, ofB] = round % 2 === 0 ? [b, a] : [a, b];
        const replies = await Promise.all([one(as(house().app, a), ofA), other(as(house().app, b), ofB)]);
        const statuses = replies.map(({ status }) => status);
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
        expect(Math.max(...statuses)).toBeLessThan(500);
        expect(await withTransaction(house().db, {}, (tx) => administratorRemains(tx, siteId))).toBe(true);
      }
    });
  });

  type Site = { siteId: number; one: Person; keeper: Calls; whom: Person };
  async function pair(siteId: number, traits: Parameters<typeof makePerson>[2]): Promise<Site> {
    const [one, whom] = [await makePerson(house().db, siteId, traits), await makePerson(house().db, siteId)];
    return { siteId, one, keeper: as(house().app, one), whom };
  }

  async function listed(): Promise<Site> {
    const siteId = await makeSite(house().db);
    await house()
      .db.insertInto('approved_address')
      .values({ site_id: siteId, network: '127.0.0.1' })
      .execute();
    return pair(siteId, { ipRestrictionsEnabled: true });
  }
  async function emptied({ siteId }: Site) {
    const capabilities = ['Manage Settings', 'Access Web Service'] as const;
    const other = await makePerson(house().db, siteId, { capabilities });
    return as(house().app, other).put('/api/rest/v1/management/settings/addresses', { addresses: [] });
  }
  async function federated(): Promise<Site> {
    return pair(await makeSite(house().db, 'identity-manager'), { passwordHash: null });
  }
  async function ended({ siteId }: Site) {
    const runner = await makePerson(house().db, await makeSite(house().db));
    await house().db.insertInto('platform_administrator').values({ user_id: runner.userId }).execute();
    const path = `/api/platform/sites/${siteId}/identity`;
    return as(house().app, runner, 'console').put(path, { mode: 'password' });
  }
  async function plain(): Promise<Site> {
    return pair(await makeSite(house().db), {});
  }

  function restricted({ one, whom }: Site) {
    return as(house().app, whom).put('user', { id: one.userId, ipRestrictionsEnabled: true });
  }

  describe('an administrator who signs in only by a list or an identity manager, or another one, remains (T07)', () => {
    /** Each shuts `one` of two administrators out, whose calls are `keeper`; `whom` is the other. */
    const shutOuts: readonly (readonly [
      string,
      () => Promise<Site>,
      (site: Site) => Promise<Reply<unknown>>,
    ])[] = [
      ['an empty list of approved addresses', listed, emptied],
      ['the end of the identity manager', federated, ended],
      ['IP restrictions that nothing meets', plain, restricted],
    ];
    const losses = ways.filter(([name]) => ['deactivate', 'remove', 'unassign'].includes(name));
    const crossed = shutOuts.flatMap(([name, make, shutOut]) =>
      losses.map(([loss, lose]) => [loss, name, make, shutOut, lose] as const),
    );

    test.each(crossed)('%s against %s', async (_loss, _name, make, shutOut, lose) => {
      for (const _ of times(Math.ceil(rounds[house().database.kind] / 2))) {
        const site = await make();
        const replies = await Promise.all([shutOut(site), lose(site.keeper, site.whom)]);
        const statuses = replies.map(({ status }) => status);
        expect(statuses.filter((status) => status < 300)).toHaveLength(1);
        expect(Math.max(...statuses)).toBeLessThan(500);
        const remains = await withTransaction(house().db, {}, (tx) => administratorRemains(tx, site.siteId));
        expect(remains).toBe(true);
      }
    });
  });

  test('40 deactivations at the same time are ordinary work: none fails', async () => {
    const siteId = await makeSite(house().db);
    const api = as(house().app, await makePerson(house().db, siteId));
    const people = await Promise.all(times(40).map(() => makePerson(house().db, siteId)));
    const replies = await Promise.all(
      people.map(({ userId }) => api.put('user', { id: userId, isActive: false })),
    );
    expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200));
  });

  test('events of a topic are numbered without gaps, and refused changes leave no number', async () => {
    const siteId = await makeSite(house().db);
    const admin = await makePerson(house().db, siteId);
    const api = as(house().app, admin);
    const people = await Promise.all(times(10).map(() => makePerson(house().db, siteId)));
    const replies = await Promise.all(
      times(120).map((at) => {
        const id = people[at % 10]?.userId;
        if (at % 4 === 0) return api.put('user', { id, lastName: `Name ${at}` });
        if (at % 4 === 1)
          return api.put('user', { id, lastName: `Name ${at}` }, { headers: { 'if-match': '"0"' } });
        if (at % 4 === 2) return api.post('user/group', { name: `Group ${Math.floor(at / 8)}` });
        return api.put('userLicense', { userId: id, licenseTypeId: 1 + (at % 3) });
      }),
    );
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    const events = await house()
      .db.selectFrom('topic_event')
      .select('off')
      .where('site_id', '=', siteId)
      .orderBy('off')
      .execute();
    expect(events.map(({ off }) => off)).toEqual(times(events.length));
    const topic = await house().db.selectFrom('topic').select('next').where('site_id', '=', siteId).execute();
    expect(topic).toEqual([{ next: events.length }]);
    const audits = await house()
      .db.selectFrom('audit_log')
      .select('audit_id')
      .where('site_id', '=', siteId)
      .execute();
    expect(audits).toHaveLength(events.length);
    expect(events.length).toBeGreaterThan(40);
  });
});
