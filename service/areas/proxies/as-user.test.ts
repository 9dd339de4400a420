/** AS-USER on the bearer API (shapes 1, T06). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ActingReport, ActingReportVm, Capability } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import {
  as,
  allScopes,
  joinSite,
  makeGroup,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const WEB: Capability = 'Access Web Service';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let proxy: Person;
  let principal: Person;
  beforeEach(async () => {
    const { db } = context();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    proxy = await makePerson(db, siteId, { capabilities: [WEB, 'Write Data'] });
    principal = await makePerson(db, siteId, { capabilities: [WEB, 'View Activity', 'Manage Users'] });
    await assign(proxy, principal);
  });

  const api = (): ApiClient => as(context().app, admin);
  const assign = async (who: Person, forWhom: Person) =>
    api().post('user/proxy', { proxyUserId: who.userId, users: [forWhom.userId] });
  /** Requests the list of users, which either View Activity or Manage Users allows. */
  const asUser = (who: Pick<Person, 'token' | 'cookie'>, header: unknown, path = 'user') =>
    as(context().app, who).get<ErrorBody>(path, { headers: { 'as-user': String(header) } });
  const listReports = async () =>
    (await api().get<ActingReport[]>(`user/proxy/reports?userId=${principal.userId}`)).body;
  const getStatusAs = async (who: Person, forWhom: Person) => (await asUser(who, forWhom.userId)).status;

  test('the proxy has the delegable capabilities of the principal and none of their own', async () => {
    const calls = as(context().app, proxy);
    const headers = { 'as-user': String(principal.userId) };
    expect((await calls.get('user')).status).toBe(403);
    expect((await calls.get('user', { headers })).status).toBe(200);
    const person = { email: `${crypto.randomUUID()}@new.test`, firstName: 'A', lastName: 'B' };
    expect((await calls.post<ErrorBody>('user', person, { headers })).body.message).toContain('Manage Users');
    expect((await as(context().app, principal).post('user', person)).status).toBe(200);
    expect((await calls.put('user/group/1', {}, { headers })).status).toBe(403);
    expect((await calls.post('user/proxy', { proxyUserId: 1 }, { headers })).status).toBe(403);
  });

  test('the scopes of the token apply', async () => {
    const { db } = context();
    const scopes = allScopes.filter((scope) => scope !== 'user_management');
    const token = await makeToken(db, proxy, scopes);
    const { status, body } = await asUser({ ...proxy, token }, principal.userId);
    expect([status, body.message]).toEqual([403, expect.stringContaining('user_management')]);
  });

  test('both users need Access Web Service', async () => {
    const { db } = context();
    const deaf = await makePerson(db, siteId, { capabilities: ['View Activity'] });
    await assign(proxy, deaf);
    expect(await getStatusAs(proxy, deaf)).toBe(403);
    await assign(deaf, principal);
    expect(await getStatusAs(deaf, principal)).toBe(403);
  });

  test('is 401 with the same text for everybody the caller cannot act for, existing or not', async () => {
    const { db, app } = context();
    const other = await makePerson(db, siteId);
    const foreign = await makePerson(db, await makeSite(db));
    const headers = [0, -1, 1.5, '01', '+1', '1e3', '2147483648', '99999999999999999999', '', 'x', '1, 2'];
    const nobodies = [2_147_483_647, other.userId, foreign.userId, proxy.userId, ...headers];
    const answers = await Promise.all(nobodies.map((header) => asUser(proxy, header)));
    const texts = answers.map(({ status, body, headers: { 'www-authenticate': scheme } }) =>
      JSON.stringify([status, body.message, scheme]),
    );
    expect([...new Set(texts)]).toEqual([
      JSON.stringify([
        401,
        'AS-USER: No proxy assignment lets you act for this user',
        'Bearer realm="steward"',
      ]),
    ]);
    const twice = await app.inject({
      url: '/api/rest/v1/management/user',
      headers: {
        authorization: `Bearer ${proxy.token}`,
        'as-user': [String(principal.userId), String(principal.userId)],
      },
    });
    expect(twice.statusCode).toBe(401);
  });

  test.each([
    ['deactivated', (who: Person) => api().put('user', { id: who.userId, isActive: false })],
    [
      'without a license',
      (who: Person) => api().put('userLicense', { userId: who.userId, licenseTypeId: NO_LICENSE }),
    ],
    ['past the end of the membership', (who: Person) => expire(who)],
    ['removed', (who: Person) => api().del(`user/${who.userId}`)],
  ])('a principal who is %s cannot be acted for until reinstated', async (_state, rest) => {
    expect(await getStatusAs(proxy, principal)).toBe(200);
    await rest(principal);
    expect(await getStatusAs(proxy, principal)).toBe(401);
    await context()
      .db.updateTable('membership')
      .set({ is_active: true, license_type_id: 1, expires_at: null })
      .where('site_id', '=', siteId)
      .where('user_id', '=', principal.userId)
      .execute();
    const stays = await context()
      .db.selectFrom('proxy_assignment')
      .selectAll()
      .where('site_id', '=', siteId)
      .execute();
    expect(await getStatusAs(proxy, principal)).toBe(stays.length > 0 ? 200 : 401);
  });

  const expire = (who: Person) =>
    context()
      .db.updateTable('membership')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('site_id', '=', siteId)
      .where('user_id', '=', who.userId)
      .execute();

  test('removing an assignment takes effect at once', async () => {
    expect(await getStatusAs(proxy, principal)).toBe(200);
    await api().post('user/proxy', { proxyUserId: proxy.userId, users: [] });
    expect(await getStatusAs(proxy, principal)).toBe(401);
  });

  test('there are no chains: the proxy cannot act for the principals of the principal', async () => {
    const third = await makePerson(context().db, siteId, { capabilities: [WEB, 'View Activity'] });
    await assign(principal, third);
    expect(await getStatusAs(principal, third)).toBe(200);
    expect(await getStatusAs(proxy, third)).toBe(401);
  });

  test('the IP restrictions of both users apply (spec 5.4)', async () => {
    const { db } = context();
    const from = (remoteAddress: string) =>
      as(context().app, proxy).get('user', {
        remoteAddress,
        headers: { 'as-user': String(principal.userId) },
      });
    const approve = (network: string) =>
      db.insertInto('approved_address').values({ site_id: siteId, network }).execute();
    const restrict = (who: Person) =>
      db
        .updateTable('membership')
        .set({ ip_restrictions_enabled: true })
        .where('user_id', '=', who.userId)
        .execute();
    await approve('10.1.0.0/16');
    await restrict(principal);
    expect([(await from('10.1.2.3')).status, (await from('10.2.2.3')).status]).toEqual([200, 403]);
    await db
      .updateTable('membership')
      .set({ ip_restrictions_enabled: false })
      .where('user_id', '=', principal.userId)
      .execute();
    await restrict(proxy);
    expect([(await from('10.1.2.3')).status, (await from('10.2.2.3')).status]).toEqual([200, 403]);
  });

  test('an assignment on one site is not valid on another', async () => {
    const { db } = context();
    const elsewhere = await makeSite(db);
    for (const { userId } of [proxy, principal]) await joinSite(db, elsewhere, userId);
    const groupId = await makeGroup(db, elsewhere, [WEB]);
    await db
      .insertInto('group_member')
      .values({ site_id: elsewhere, group_id: groupId, user_id: proxy.userId })
      .execute();
    const token = await makeToken(db, { ...proxy, siteId: elsewhere });
    expect((await asUser({ ...proxy, token }, principal.userId)).status).toBe(401);
  });

  describe('recording', () => {
    test('creates one mail, one activity row and one report per pair and day', async () => {
      const { db } = context();
      await Promise.all(Array.from({ length: 6 }, () => asUser(proxy, principal.userId)));
      await asUser(proxy, principal.userId);
      const mails = await db
        .selectFrom('mail')
        .selectAll()
        .where('recipient', '=', principal.email)
        .orderBy('mail_id')
        .execute();
      expect(mails.map(({ subject }) => subject.slice(0, 19))).toEqual([
        'Somebody may act fo',
        'Somebody acts for y',
      ]);
      const rows = await db
        .selectFrom('activity')
        .select(['user_id', 'principal_user_id', 'activity_type_id', 'source_type_id'])
        .where('site_id', '=', siteId)
        .execute();
      expect(rows).toEqual([
        {
          user_id: proxy.userId,
          principal_user_id: principal.userId,
          activity_type_id: 9,
          source_type_id: 3,
        },
      ]);
      expect(await listReports()).toMatchObject([
        {
          proxyUser: { id: proxy.userId, email: proxy.email },
          principal: { id: principal.userId },
          source: 'api',
          reason: null,
          endedDate: null,
        },
      ]);
    });

    test('a report ends with its last request once the day is over, and a new one begins', async () => {
      await asUser(proxy, principal.userId);
      await sql`update acting_report set day = day - 1, started_at = started_at - interval '1 day',
        last_step_at = started_at - interval '23 hours' where site_id = ${siteId}`.execute(context().db);
      await asUser(proxy, principal.userId);
      const [today, yesterday] = await listReports();
      expect([today?.endedDate, typeof yesterday?.endedDate]).toEqual([null, 'string']);
    });

    test('creates an audit trail entry for every request, refused ones included, with contract parameters only', async () => {
      await asUser(proxy, principal.userId, `user?pageSize=5&EMAIL=a%00b&token=secret`);
      await asUser(proxy, principal.userId, `user/${principal.userId}`);
      await asUser(proxy, principal.userId, 'user/group/7');
      await as(context().app, proxy).del('user/7', undefined, {
        headers: { 'as-user': String(principal.userId) },
      });
      const [report] = await listReports();
      const read = async () =>
        (await api().get<ActingReportVm>(`user/proxy/reports/${report?.id}?pageSize=1000`)).body;
      await expect.poll(async () => (await read()).steps.length, { timeout: 10_000 }).toBe(4);
      const { steps } = await read();
      expect(
        steps.map(({ operationId, subject, isWrite, status }) => [operationId, subject, isWrite, status]),
      ).toEqual([
        ['searchUsers', 'pageSize=5 EMAIL=a b', false, 400],
        ['getUser', `userId=${principal.userId}`, false, 200],
        ['getGroup', 'groupId=7', false, 404],
        ['removeUser', 'userId=7', true, 403],
      ]);
      expect(steps[1]?.summary).toBe('Read a user');
      expect((await read()).report.steps).toBe(4);
    });
  });
});
