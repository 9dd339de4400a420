/** Starting to act concurrently with changes that forbid it: one comes first, and the other sees its result. */
import { expect, test } from 'vitest';
import type { ActingReport, Session } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, Reply } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const ACTING = '/api/session/acting';
/** The embedded database runs one transaction at a time, so few rounds suffice there. */
const rounds = { postgres: 12, embedded: 2 };

const forbiddingChanges: readonly (readonly [
  string,
  (admin: ApiClient, proxy: Person, principal: Person) => Promise<Reply<unknown>>,
])[] = [
  ['the assignment is removed', (admin, proxy) => admin.post('user/proxy', { proxyUserId: proxy.userId })],
  ['the principal is deactivated', (admin, _, { userId: id }) => admin.put('user', { id, isActive: false })],
  ['the principal leaves', (admin, _, { userId }) => admin.del(`user/${userId}`)],
];

onEachApp((context) => {
  async function setUp(): Promise<{ admin: ApiClient; proxy: Person; principal: Person }> {
    const { db, app } = context();
    const siteId = await makeSite(db);
    const admin = as(app, await makePerson(db, siteId));
    const proxy = await makePerson(db, siteId, { capabilities: ['Access Web Service'] });
    const principal = await makePerson(db, siteId, { capabilities: ['Access Web Service', 'View Activity'] });
    await admin.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
    return { admin, proxy, principal };
  }

  test.each(forbiddingChanges)(
    'when %s concurrently, no request passes afterwards and no report stays open',
    async (_what, forbid) => {
      for (let round = 0; round < rounds[context().database.kind]; round += 1) {
        const { admin, proxy, principal } = await setUp();
        const calls = as(context().app, proxy, 'console');
        const [begun, forbidden] = await Promise.all([
          calls.put(ACTING, { userId: principal.userId, reason: 'Because' }),
          forbid(admin, proxy, principal),
        ]);
        expect(forbidden.status).toBeLessThan(300);
        expect([200, 403]).toContain(begun.status);
        expect((await calls.get('user')).status).toBe(403);
        const { body } = await calls.get<Session>('/api/session');
        expect([body.acting, body.capabilities]).toEqual([undefined, ['Access Web Service']]);
        const reports = await admin.get<ActingReport[]>('user/proxy/reports');
        expect(reports.body.filter(({ endedDate }) => endedDate === null)).toEqual([]);
        expect(reports.body).toHaveLength(begun.status === 200 ? 1 : 0);
      }
    },
  );

  test('signing out while acting starts leaves no report open', async () => {
    for (let round = 0; round < rounds[context().database.kind]; round += 1) {
      const { admin, proxy, principal } = await setUp();
      const calls = as(context().app, proxy, 'console');
      const [begun] = await Promise.all([
        calls.put(ACTING, { userId: principal.userId, reason: 'Because' }),
        calls.del('/api/session'),
      ]);
      expect([200, 401, 409]).toContain(begun.status);
      const { body } = await admin.get<ActingReport[]>('user/proxy/reports');
      expect(body.filter(({ endedDate }) => endedDate === null)).toEqual([]);
    }
  });

  test('twenty concurrent requests for a principal create one report with twenty entries', async () => {
    const { admin, proxy, principal } = await setUp();
    const headers = { 'as-user': String(principal.userId) };
    const calls = as(context().app, proxy);
    const writes = Array.from({ length: 10 }, () => calls.put('user/group/7', {}, { headers }));
    const reads = Array.from({ length: 10 }, () => calls.get('user', { headers }));
    await Promise.all([...writes, ...reads]);
    const listed = async () => (await admin.get<ActingReport[]>('user/proxy/reports')).body;
    await expect
      .poll(async () => (await listed()).map(({ steps }) => steps), { timeout: 10_000 })
      .toEqual([20]);
  });
});
