/** Two sites on one installation: nothing of the one is in any answer to the other (T04). */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { notBuilt } from './areas/not-built.ts';
import { send, type Calls } from './testing/calls.ts';
import {
  as,
  contract,
  joinSite,
  makeGroup,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  type Person,
} from './testing/site.ts';

const MARK = 'belongs-to-b';

/** These would end the test. */
const ENDS = new Set(['signOut', 'disableApiKey']);
/** Every built operation for people with credentials. */
const asked = contract.operations.filter(
  ({ access, id }) => access !== 'public' && !ENDS.has(id) && !notBuilt.some((name) => name === id),
);

/**
 * What to send to an operation: every body that the contract lets through to it, and one that it does not; nothing where
 * no body is read.
 */
function payloadsOf(operation: (typeof asked)[number], bodies: readonly object[]) {
  const names = operation.url.match(/(?<=:)\w+/g) ?? [];
  const params = Object.fromEntries(names.map((name) => [name, '1']));
  const fits = (body: unknown) => operation.check({ params, query: {}, body }).faults.length === 0;
  if (operation.method === 'GET' || fits('no body of any')) return [undefined];
  const misfit = bodies.find((body) => !fits(body));
  return [...bodies.filter(fits), ...(misfit ? [misfit] : [])];
}

/** The answer to a list of users asked as somebody, and whether it has anything of B. */
const asUser = async (who: Calls, { userId }: Person) => {
  const { status, text } = await who.get('user', { headers: { 'as-user': String(userId) } });
  return [status, text.includes(MARK)];
};

onEachApp((house) => {
  let a: Person;
  let b: Person;
  let shared: Person;
  /** An invitation of B, and somebody of B whose address alone says nothing of it. */
  let invitationId = 0;
  const plain = 'plain@people.test';
  beforeAll(async () => {
    const { db, app } = house();
    const [siteA, siteB] = [await makeSite(db), await makeSite(db)];
    a = await makePerson(db, siteA);
    b = await makePerson(db, siteB, { email: `admin@${MARK}.test` });
    shared = await makePerson(db, siteB, { email: 'shared@both.test' });
    await joinSite(db, siteA, shared.userId);
    const api = as(app, b);
    for (let at = 0; at < 20; at += 1)
      await api.post('user', { email: `${at}@${MARK}.test`, firstName: MARK, lastName: MARK });
    // No id of B is one of A by chance: that would be A's own to change.
    await sql`select setval(pg_get_serial_sequence('invitation', 'invitation_id'), 900000)`.execute(db);
    const guest = await makePerson(db, await makeSite(db), { email: `guest@${MARK}.test` });
    await api.post('user/invite', { email: guest.email, type: 1, duration: 3 });
    const { body } = await api.get<{ id: number }[]>('user/invitations');
    invitationId = body[0]?.id ?? 0;
    const { userId } = await makePerson(db, siteB, { email: plain });
    await db
      .updateTable('account')
      .set({ first_name: MARK, last_name: MARK })
      .where('user_id', '=', userId)
      .execute();
    await db
      .updateTable('user_group')
      .set({ name: `${MARK} group` })
      .where('group_id', '=', b.groupId)
      .execute();
    await db
      .updateTable('site')
      .set({ name: `${MARK} site` })
      .where('site_id', '=', siteB)
      .execute();
  });

  test(
    'whatever the administrator of A asks, with ids of B in every place, no answer has a byte of B',
    { timeout: 120_000 },
    async () => {
      const ids = [b.userId, b.groupId, shared.groupId, invitationId];
      const bodies = [
        ...ids.flatMap((id) => [
          [id],
          [{ userIds: [id], groupIds: [id] }],
          { id, lastName: 'Taken' },
          { userId: id, licenseTypeId: 2 },
          { proxyUserId: id, users: [a.userId] },
          { proxyUserId: a.userId, users: [id] },
          { add: [{ proxyUserId: a.userId, userId: id }] },
          { userId: id, reason: 'Because' },
          { userIds: [id] },
          { principalUserIds: [id, a.userId] },
          { email: `${crypto.randomUUID()}@a.test`, firstName: 'A', lastName: 'B', groups: [id] },
        ]),
        [{ userIds: [a.userId], groupIds: [b.groupId] }],
        { email: b.email, firstName: 'A', lastName: 'B' },
        { siteId: b.siteId },
        { email: plain, type: 0 },
        { emails: [plain, `${crypto.randomUUID()}@a.test`] },
        { days: 1 },
        { name: `A ${crypto.randomUUID()}`, capabilities: [] },
      ];
      const doors = [
        ['', { authorization: `Bearer ${a.token}` }],
        ['/console', { cookie: `steward=${a.cookie}`, 'x-steward-console': '1' }],
      ] as const;
      let answers = 0;
      for (const [prefix, headers] of doors) {
        for (const operation of asked) {
          // What is not A's own: a deletion that is allowed would end the test.
          for (const path of new Set(ids.map((id) => operation.url.replaceAll(/:\w+/g, String(id))))) {
            const url = prefix + path;
            const own = [a.userId, a.groupId, shared.userId].some((mine) => url.endsWith(`/${mine}`));
            if (own && operation.method !== 'GET') continue;
            const queries =
              operation.method === 'GET'
                ? ['', `?pageSize=1000`, `?email=${b.email}`, `?userGroupId=${b.groupId}`]
                : [''];
            for (const query of queries) {
              for (const payload of payloadsOf(operation, bodies)) {
                const { text, body } = await send<{ message?: string }>(house().app, {
                  method: operation.method,
                  url: url + query,
                  headers,
                  ...(payload && { payload }),
                });
                answers += 1;
                // What the caller sent may come back in a refusal; nothing else may.
                const said = (body?.message === undefined ? text : '').toLowerCase();
                expect(said).not.toContain(MARK);
                expect(text).not.toContain(`${MARK} site`);
                expect(text).not.toContain(`${MARK} group`);
              }
            }
          }
        }
      }
      expect(answers).toBeGreaterThan(300);
    },
  );

  test('nobody acts across sites, whatever is assigned on the other one', async () => {
    await as(house().app, b).post('user/proxy', { proxyUserId: shared.userId, users: [b.userId] });
    const ofA = { ...shared, siteId: a.siteId };
    const calls = as(house().app, { ...shared, token: await makeToken(house().db, ofA) });
    // What shared may do on B counts for nothing on A, access to the interface included.
    expect(await asUser(calls, b)).toEqual([403, false]);
    expect(await asUser(as(house().app, a), b)).toEqual([401, false]);
    expect(await asUser(as(house().app, shared), b)).toEqual([200, true]);
    expect(await asUser(as(house().app, shared), a)).toEqual([401, false]);
  });

  test('and nothing of B was changed by it', async () => {
    const api = as(house().app, b);
    const { body } = await api.get<{ lastName: string; modifiedBy: number | null }[]>('user?pageSize=1000');
    expect(body).toHaveLength(23);
    expect(body.filter(({ modifiedBy }) => modifiedBy !== b.userId && modifiedBy !== null)).toEqual([]);
    expect((await api.get(`user/group/${b.groupId}`)).body).toMatchObject({ name: `${MARK} group` });
    expect((await api.get('user/invitations')).body).toMatchObject([{ id: invitationId, status: 'pending' }]);
  });

  test('somebody of both sites shows on each what is of that site alone', async () => {
    const groupOfA = await makeGroup(house().db, a.siteId);
    await as(house().app, a).put('user/group', [{ userIds: [shared.userId], groupIds: [groupOfA] }]);
    const [here, there] = await Promise.all(
      [a, b].map((person) => as(house().app, person).get<{ groups: number[] }>(`user/${shared.userId}`)),
    );
    expect([here?.body.groups, there?.body.groups]).toEqual([[groupOfA], [shared.groupId]]);
  });
});
