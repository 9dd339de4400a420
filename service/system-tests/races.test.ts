/** Invariants under concurrent requests. */
import { beforeAll, describe, expect, test } from 'vitest';
import { hasAdministrator } from '../kernel/auth/callers.store.ts';
import { withTransaction } from '../kernel/db/database.ts';
import type { ApiClient, Reply } from '../testing/calls.ts';
import {
  as,
  allCapabilities,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../testing/site.ts';

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const capabilitiesWithoutManageUsers = allCapabilities.filter((capability) => capability !== 'Manage Users');

/** All operations that can remove an administrator. */
const removals: readonly (readonly [
  string,
  (calls: ApiClient, administrator: Person) => Promise<Reply<unknown>>,
])[] = [
  ['deactivate', (calls, administrator) => calls.put('user', { id: administrator.userId, isActive: false })],
  ['remove', (calls, administrator) => calls.del(`user/${administrator.userId}`)],
  [
    'No License',
    (calls, administrator) => calls.put('userLicense', { userId: administrator.userId, licenseTypeId: 4 }),
  ],
  [
    'unassign',
    (calls, administrator) =>
      calls.del('user/group', [{ userIds: [administrator.userId], groupIds: [administrator.groupId] }]),
  ],
  ['other groups', (calls, administrator) => calls.put('user', { id: administrator.userId, groups: [] })],
  [
    'weaker group',
    (calls, administrator) =>
      calls.put(`user/group/${administrator.groupId}`, { capabilities: capabilitiesWithoutManageUsers }),
  ],
  ['delete group', (calls, administrator) => calls.del(`user/group/${administrator.groupId}`)],
];
const pairs = removals.flatMap((first, at) =>
  removals.slice(at).map((second) => [first[0], second[0], first[1], second[1]] as const),
);
/** The embedded database runs one transaction at a time, so one round is enough there. */
const ROUNDS = { postgres: 2, embedded: 1 };

const CLIENTS = 8;
/** Of changes based on the same version, one succeeds; without If-Match, dozens would be lost. */
const CHANGES_PER_CLIENT = 6;
const runFromAllClients = (one: () => Promise<void>) =>
  Promise.all(
    range(CLIENTS).map(async () => {
      for (const _ of range(CHANGES_PER_CLIENT)) await one();
    }),
  );
const TOTAL_CHANGES = String(CLIENTS * CHANGES_PER_CLIENT);

onEachApp((context) => {
  describe('concurrent changes with If-Match from eight clients are not lost', () => {
    let api: ApiClient;
    let admin: Person;
    beforeAll(async () => {
      admin = await makePerson(context().db, await makeSite(context().db));
      api = as(context().app, admin);
    });

    /** Reads a counter, increments it and writes it with If-Match; repeats after a 412. */
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
      await runFromAllClients(() =>
        increment(
          path,
          (lastName, headers) => api.put('user', { id: admin.userId, lastName }, { headers }),
          ({ lastName }) => lastName,
        ),
      );
      expect((await api.get(path)).body).toMatchObject({ lastName: TOTAL_CHANGES });
    });

    test('of a group', async () => {
      const path = `user/group/${await makeGroup(context().db, admin.siteId)}`;
      await api.put(path, { description: '0' });
      await runFromAllClients(() =>
        increment(
          path,
          (description, headers) => api.put(path, { description }, { headers }),
          ({ description }) => description,
        ),
      );
      expect((await api.get(path)).body).toMatchObject({ description: TOTAL_CHANGES });
    });
  });

  describe.each(pairs)('an administrator remains: %s against %s', (_first, _second, one, other) => {
    test('when both are called at the same time (T07)', async () => {
      for (const round of range(ROUNDS[context().database.kind])) {
        const siteId = await makeSite(context().db);
        const [a, b] = await Promise.all([
          makePerson(context().db, siteId),
          makePerson(context().db, siteId),
        ]);
        // In every other round the two act on each other, otherwise on themselves.
        const [ofA, ofB] = round % 2 === 0 ? [b, a] : [a, b];
        const replies = await Promise.all([one(as(context().app, a), ofA), other(as(context().app, b), ofB)]);
        const statuses = replies.map(({ status }) => status);
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
        expect(Math.max(...statuses)).toBeLessThan(500);
        expect(await withTransaction(context().db, {}, (tx) => hasAdministrator(tx, siteId))).toBe(true);
      }
    });
  });

  type Site = { siteId: number; one: Person; keeper: ApiClient; administrator: Person };
  async function makeAdministratorPair(
    siteId: number,
    traits: Parameters<typeof makePerson>[2],
  ): Promise<Site> {
    const [one, administrator] = [
      await makePerson(context().db, siteId, traits),
      await makePerson(context().db, siteId),
    ];
    return { siteId, one, keeper: as(context().app, one), administrator };
  }

  async function makeSiteWithApprovedAddresses(): Promise<Site> {
    const siteId = await makeSite(context().db);
    await context()
      .db.insertInto('approved_address')
      .values({ site_id: siteId, network: '127.0.0.1' })
      .execute();
    return makeAdministratorPair(siteId, { ipRestrictionsEnabled: true });
  }
  async function clearApprovedAddresses({ siteId }: Site) {
    const capabilities = ['Manage Settings', 'Access Web Service'] as const;
    const other = await makePerson(context().db, siteId, { capabilities });
    return as(context().app, other).put('/api/rest/v1/management/settings/addresses', { addresses: [] });
  }
  async function makeFederatedSite(): Promise<Site> {
    return makeAdministratorPair(await makeSite(context().db, 'identity-manager'), { passwordHash: null });
  }
  async function disableIdentityManager({ siteId }: Site) {
    const runner = await makePerson(context().db, await makeSite(context().db));
    await context().db.insertInto('platform_administrator').values({ user_id: runner.userId }).execute();
    const path = `/api/platform/sites/${siteId}/identity`;
    return as(context().app, runner, 'console').put(path, { mode: 'password' });
  }
  async function makePlainSite(): Promise<Site> {
    return makeAdministratorPair(await makeSite(context().db), {});
  }

  function restrictAddresses({ one, administrator }: Site) {
    return as(context().app, administrator).put('user', { id: one.userId, ipRestrictionsEnabled: true });
  }

  describe('an administrator remains when a site-wide setting locks one out while another is removed (T07)', () => {
    /** Each setting locks out `one` of two administrators, whose client is `keeper`; `whom` is the other. */
    const lockouts: readonly (readonly [
      string,
      () => Promise<Site>,
      (site: Site) => Promise<Reply<unknown>>,
    ])[] = [
      ['an empty list of approved addresses', makeSiteWithApprovedAddresses, clearApprovedAddresses],
      ['the end of the identity manager', makeFederatedSite, disableIdentityManager],
      ['IP restrictions that nothing meets', makePlainSite, restrictAddresses],
    ];
    const otherRemovals = removals.filter(([name]) => ['deactivate', 'remove', 'unassign'].includes(name));
    const combinations = lockouts.flatMap(([name, make, shutOut]) =>
      otherRemovals.map(([loss, lose]) => [loss, name, make, shutOut, lose] as const),
    );

    test.each(combinations)('%s against %s', async (_loss, _name, make, shutOut, lose) => {
      for (const _ of range(Math.ceil(ROUNDS[context().database.kind] / 2))) {
        const site = await make();
        const replies = await Promise.all([shutOut(site), lose(site.keeper, site.administrator)]);
        const statuses = replies.map(({ status }) => status);
        expect(statuses.filter((status) => status < 300)).toHaveLength(1);
        expect(Math.max(...statuses)).toBeLessThan(500);
        const remains = await withTransaction(context().db, {}, (tx) => hasAdministrator(tx, site.siteId));
        expect(remains).toBe(true);
      }
    });
  });

  test('40 concurrent deactivations all succeed', async () => {
    const siteId = await makeSite(context().db);
    const api = as(context().app, await makePerson(context().db, siteId));
    const people = await Promise.all(range(40).map(() => makePerson(context().db, siteId)));
    const replies = await Promise.all(
      people.map(({ userId }) => api.put('user', { id: userId, isActive: false })),
    );
    expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200));
  });

  test('event offsets have no gaps, also after rejected changes', async () => {
    const siteId = await makeSite(context().db);
    const admin = await makePerson(context().db, siteId);
    const api = as(context().app, admin);
    const people = await Promise.all(range(10).map(() => makePerson(context().db, siteId)));
    const replies = await Promise.all(
      range(120).map((at) => {
        const id = people[at % 10]?.userId;
        if (at % 4 === 0) return api.put('user', { id, lastName: `Name ${at}` });
        if (at % 4 === 1)
          return api.put('user', { id, lastName: `Name ${at}` }, { headers: { 'if-match': '"0"' } });
        if (at % 4 === 2) return api.post('user/group', { name: `Group ${Math.floor(at / 8)}` });
        return api.put('userLicense', { userId: id, licenseTypeId: 1 + (at % 3) });
      }),
    );
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    const events = await context()
      .db.selectFrom('topic_event')
      .select('off')
      .where('site_id', '=', siteId)
      .orderBy('off')
      .execute();
    expect(events.map(({ off }) => off)).toEqual(range(events.length));
    const topic = await context()
      .db.selectFrom('topic')
      .select('next')
      .where('site_id', '=', siteId)
      .execute();
    expect(topic).toEqual([{ next: events.length }]);
    const audits = await context()
      .db.selectFrom('audit_log')
      .select('audit_id')
      .where('site_id', '=', siteId)
      .execute();
    expect(audits).toHaveLength(events.length);
    expect(events.length).toBeGreaterThan(40);
  });
});
