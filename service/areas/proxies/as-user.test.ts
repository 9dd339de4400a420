/** AS-USER at the door of programs (shapes 1, T06). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ActingReport, ActingReportVm, Capability } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import {
  as,
  everyScope,
  joinSite,
  makeGroup,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const WEB: Capability = 'Access Web Service';

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let proxy: Person;
  let principal: Person;
  beforeEach(async () => {
    const { db } = house();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    proxy = await makePerson(db, siteId, { capabilities: [WEB, 'Write Data'] });
    principal = await makePerson(db, siteId, { capabilities: [WEB, 'View Activity', 'Manage Users'] });
    await assign(proxy, principal);
  });

  const api = (): Calls => as(house().app, admin);
  const assign = async (who: Person, forWhom: Person) =>
    api().post('user/proxy', { proxyUserId: who.userId, users: [forWhom.userId] });
  /** The list of users, which View Activity and Manage Users show alike. */
  const asUser = (who: Pick<Person, 'token' | 'cookie'>, header: unknown, path = 'user') =>
    as(house().app, who).get<Refusal>(path, { headers: { 'as-user': String(header) } });
  const reports = async () =>
    (await api().get<ActingReport[]>(`user/proxy/reports?userId=${principal.userId}`)).body;
  const statusAs = async (who: Person, forWhom: Person) => (await asUser(who, forWhom.userId)).status;

  test('the proxy has the capabilities of the principal that can be passed on, and none of their own', async () => {
    const calls = as(house().app, proxy);
    const headers = { 'as-user': String(principal.userId) };
    expect((await calls.get('user')).status).toBe(403);
    expect((await calls.get('user', { headers })).status).toBe(200);
    const person = { email: `${crypto.randomUUID()}@new.test`, firstName: 'A', lastName: 'B' };
    expect((await calls.post<Refusal>('user', person, { headers })).body.message).toContain('Manage Users');
    expect((await as(house().app, principal).post('user', person)).status).toBe(200);
    expect((await calls.put('user/group/1', {}, { headers })).status).toBe(403);
    expect((await calls.post('user/proxy', { proxyUserId: 1 }, { headers })).status).toBe(403);
  });

  test('scopes stay those of the token', async () => {
    const { db } = house();
    const scopes = everyScope.filter((scope) => scope !== 'user_management');
    const token = await makeToken(db, proxy, scopes);
    const { status, body } = await asUser({ ...proxy, token }, principal.userId);
    expect([status, body.message]).toEqual([403, expect.stringContaining('user_management')]);
  });

  test('both need Access Web Service', async () => {
    const { db } = house();
    const deaf = await makePerson(db, siteId, { capabilities: ['View Activity'] });
    await assign(proxy, deaf);
    expect(await statusAs(proxy, deaf)).toBe(403);
    await assign(deaf, principal);
    expect(await statusAs(deaf, principal)).toBe(403);
  });

  test('401 with one text for everybody the caller cannot act for, whether they exist or not', async () => {
    const { db, app } = house();
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
    ['whose membership ran out', (who: Person) => expire(who)],
    ['removed', (who: Person) => api().del(`user/${who.userId}`)],
  ])('nobody acts for somebody %s, and comes back with them', async (_state, rest) => {
    expect(await statusAs(proxy, principal)).toBe(200);
    await rest(principal);
    expect(await statusAs(proxy, principal)).toBe(401);
    await house()
      .db.updateTable('membership')
      .set({ is_active: true, license_type_id: 1, expires_at: null })
      .where('site_id', '=', siteId)
      .where('user_id', '=', principal.userId)
      .execute();
    const stays = await house()
      .db.selectFrom('proxy_assignment')
      .selectAll()
      .where('site_id', '=', siteId)
      .execute();
    expect(await statusAs(proxy, principal)).toBe(stays.length > 0 ? 200 : 401);
  });

  const expire = (who: Person) =>
    house()
      .db.updateTable('membership')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('site_id', '=', siteId)
      .where('user_id', '=', who.userId)
      .execute();

  test('an assignment that is taken away holds no longer, at once', async () => {
    expect(await statusAs(proxy, principal)).toBe(200);
    await api().post('user/proxy', { proxyUserId: proxy.userId, users: [] });
    expect(await statusAs(proxy, principal)).toBe(401);
  });

  test('there are no chains: for whom the principal may act, the proxy may not', async () => {
    const third = await makePerson(house().db, siteId, { capabilities: [WEB, 'View Activity'] });
    await assign(principal, third);
    expect(await statusAs(principal, third)).toBe(200);
    expect(await statusAs(proxy, third)).toBe(401);
  });

  test('addresses that are closed to either of the two are closed to the proxy (spec 5.4)', async () => {
    const { db } = house();
    const from = (remoteAddress: string) =>
      as(house().app, proxy).get('user', { remoteAddress, headers: { 'as-user': String(principal.userId) } });
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

  test('an assignment of one site is none on another', async () => {
    const { db } = house();
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

  describe('what is told of it', () => {
    test('one mail, one row of activity and one report a day for each pair', async () => {
      const { db } = house();
      await Promise.all(Array.from({ length: 6 }, () => asUser(proxy, principal.userId)));
      await asUser(proxy, principal.userId);
      const mails = await db
        .selectFrom('mail')
        .selectAll()
        .where('recipient', '=', principal.email)
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
      expect(await reports()).toMatchObject([
        {
          proxyUser: { id: proxy.userId, email: proxy.email },
          principal: { id: principal.userId },
          source: 'api',
          reason: null,
          endedDate: null,
        },
      ]);
    });

    test('yesterday’s report has ended with its last request; today there is another one', async () => {
      await asUser(proxy, principal.userId);
      await sql`update acting_report set day = day - 1, started_at = started_at - interval '1 day',
        last_step_at = started_at - interval '23 hours' where site_id = ${siteId}`.execute(house().db);
      await asUser(proxy, principal.userId);
      const [today, yesterday] = await reports();
      expect([today?.endedDate, typeof yesterday?.endedDate]).toEqual([null, 'string']);
    });

    test('every request is a step, refused ones too, with the parameters that the contract knows and nothing else', async () => {
      await asUser(proxy, principal.userId, `user?pageSize=5&EMAIL=a%00b&token=secret`);
      await asUser(proxy, principal.userId, `user/${principal.userId}`);
      await asUser(proxy, principal.userId, 'user/group/7');
      await as(house().app, proxy).del('user/7', undefined, {
        headers: { 'as-user': String(principal.userId) },
      });
      const [report] = await reports();
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
