/** Two sites on one installation: no response to one site contains data of the other (T04). */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { send, type ApiClient } from '../testing/calls.ts';
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
} from '../testing/site.ts';

const MARKER = 'belongs-to-b';

/** Operations that would end the session or key of the test. */
const EXCLUDED_OPERATIONS = new Set(['signOut', 'disableApiKey']);
/** All operations that require credentials. */
const testedOperations = contract.operations.filter(
  ({ access, id }) => access !== 'public' && !EXCLUDED_OPERATIONS.has(id),
);

/** The bodies to send to an operation: all of `bodies` that are valid and one that is not; undefined if it has no body. */
function createPayloads(operation: (typeof testedOperations)[number], bodies: readonly object[]) {
  const names = operation.url.match(/(?<=:)\w+/g) ?? [];
  const params = Object.fromEntries(names.map((name) => [name, '1']));
  const fits = (body: unknown) => operation.validateRequest({ params, query: {}, body }).errors.length === 0;
  if (operation.method === 'GET' || fits('no body of any')) return [undefined];
  const misfit = bodies.find((body) => !fits(body));
  return [...bodies.filter(fits), ...(misfit ? [misfit] : [])];
}

/** Status of listing users as `userId`, and whether the response contains data of site B. */
const listUsersAs = async (who: ApiClient, { userId }: Person) => {
  const { status, text } = await who.get('user', { headers: { 'as-user': String(userId) } });
  return [status, text.includes(MARKER)];
};

onEachApp((context) => {
  let a: Person;
  let b: Person;
  let sharedPerson: Person;
  /** An invitation of site B. */
  let invitationId = 0;
  const plainEmail = 'plain@people.test';
  beforeAll(async () => {
    const { db, app } = context();
    const [siteA, siteB] = [await makeSite(db), await makeSite(db)];
    a = await makePerson(db, siteA);
    b = await makePerson(db, siteB, { email: `admin@${MARKER}.test` });
    sharedPerson = await makePerson(db, siteB, { email: 'shared@both.test' });
    await joinSite(db, siteA, sharedPerson.userId);
    const api = as(app, b);
    for (let at = 0; at < 20; at += 1)
      await api.post('user', { email: `${at}@${MARKER}.test`, firstName: MARKER, lastName: MARKER });
    // The ids of B's invitations must differ from those of A, which A may change.
    await sql`select setval(pg_get_serial_sequence('invitation', 'invitation_id'), 900000)`.execute(db);
    const guest = await makePerson(db, await makeSite(db), { email: `guest@${MARKER}.test` });
    await api.post('user/invite', { email: guest.email, type: 1, duration: 3 });
    const { body } = await api.get<{ id: number }[]>('user/invitations');
    invitationId = body[0]?.id ?? 0;
    const { userId } = await makePerson(db, siteB, { email: plainEmail });
    await db
      .updateTable('account')
      .set({ first_name: MARKER, last_name: MARKER })
      .where('user_id', '=', userId)
      .execute();
    await db
      .updateTable('user_group')
      .set({ name: `${MARKER} group` })
      .where('group_id', '=', b.groupId)
      .execute();
    await db
      .updateTable('site')
      .set({ name: `${MARKER} site` })
      .where('site_id', '=', siteB)
      .execute();
  });

  test(
    'no response to the administrator of A contains data of B, for calls with ids of B in every place',
    { timeout: 120_000 },
    async () => {
      const ids = [b.userId, b.groupId, sharedPerson.groupId, invitationId];
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
        { email: plainEmail, type: 0 },
        { emails: [plainEmail, `${crypto.randomUUID()}@a.test`] },
        { days: 1 },
        { name: `A ${crypto.randomUUID()}`, capabilities: [] },
      ];
      const doors = [
        ['', { authorization: `Bearer ${a.token}` }],
        ['/console', { cookie: `steward=${a.cookie}`, 'x-steward-console': '1' }],
      ] as const;
      let answers = 0;
      for (const [prefix, headers] of doors) {
        for (const operation of testedOperations) {
          // A's own resources are excluded: deleting them is allowed and would end the test.
          for (const path of new Set(ids.map((id) => operation.url.replaceAll(/:\w+/g, String(id))))) {
            const url = prefix + path;
            const isOwnResource = [a.userId, a.groupId, sharedPerson.userId].some((mine) =>
              url.endsWith(`/${mine}`),
            );
            if (isOwnResource && operation.method !== 'GET') continue;
            const queries =
              operation.method === 'GET'
                ? ['', `?pageSize=1000`, `?email=${b.email}`, `?userGroupId=${b.groupId}`]
                : [''];
            for (const query of queries) {
              for (const payload of createPayloads(operation, bodies)) {
                const { text, body } = await send<{ message?: string }>(context().app, {
                  method: operation.method,
                  url: url + query,
                  headers,
                  ...(payload && { payload }),
                });
                answers += 1;
                // An error message may repeat what the caller sent.
                const responseText = (body?.message === undefined ? text : '').toLowerCase();
                expect(responseText).not.toContain(MARKER);
                expect(text).not.toContain(`${MARKER} site`);
                expect(text).not.toContain(`${MARKER} group`);
              }
            }
          }
        }
      }
      expect(answers).toBeGreaterThan(300);
    },
  );

  test('a proxy assignment of another site does not allow acting', async () => {
    await as(context().app, b).post('user/proxy', { proxyUserId: sharedPerson.userId, users: [b.userId] });
    const ofA = { ...sharedPerson, siteId: a.siteId };
    const calls = as(context().app, { ...sharedPerson, token: await makeToken(context().db, ofA) });
    // What shared may do on B counts for nothing on A, access to the interface included.
    expect(await listUsersAs(calls, b)).toEqual([403, false]);
    expect(await listUsersAs(as(context().app, a), b)).toEqual([401, false]);
    expect(await listUsersAs(as(context().app, sharedPerson), b)).toEqual([200, true]);
    expect(await listUsersAs(as(context().app, sharedPerson), a)).toEqual([401, false]);
  });

  test('the calls did not change B', async () => {
    const api = as(context().app, b);
    const { body } = await api.get<{ lastName: string; modifiedBy: number | null }[]>('user?pageSize=1000');
    expect(body).toHaveLength(23);
    expect(body.filter(({ modifiedBy }) => modifiedBy !== b.userId && modifiedBy !== null)).toEqual([]);
    expect((await api.get(`user/group/${b.groupId}`)).body).toMatchObject({ name: `${MARKER} group` });
    expect((await api.get('user/invitations')).body).toMatchObject([{ id: invitationId, status: 'pending' }]);
  });

  test('a member of both sites shows only the groups of each site', async () => {
    const groupOfA = await makeGroup(context().db, a.siteId);
    await as(context().app, a).put('user/group', [{ userIds: [sharedPerson.userId], groupIds: [groupOfA] }]);
    const [here, there] = await Promise.all(
      [a, b].map((person) =>
        as(context().app, person).get<{ groups: number[] }>(`user/${sharedPerson.userId}`),
      ),
    );
    expect([here?.body.groups, there?.body.groups]).toEqual([[groupOfA], [sharedPerson.groupId]]);
  });
});
