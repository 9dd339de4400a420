/** Acting for somebody in a session of the console. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  ActingReport,
  ActingReportVm,
  OwnPrincipal,
  Session,
} from '../../../contract/generated/types.gen.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const SESSION = '/api/session';
const ACTING = '/api/session/acting';
/** A request of a page that believes to act in this report. */
const believing = (state: string) => ({ headers: { 'x-steward-acting': state } });
const ENDED: unknown = expect.any(String);

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let proxy: Person;
  let principal: Person;
  let api: Calls;
  let calls: Calls;
  beforeEach(async () => {
    const { db, app } = house();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    proxy = await makePerson(db, siteId, { capabilities: ['Write Data'] });
    principal = await makePerson(db, siteId, {
      capabilities: ['View Activity', 'Manage Users', 'Read Data'],
    });
    api = as(app, admin);
    calls = as(app, proxy, 'console');
    await api.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
  });

  const begin = (userId = principal.userId, reason = 'Ticket 4711') =>
    calls.put<Session & Refusal>(ACTING, { userId, reason });
  const session = async () => (await calls.get<Session>(SESSION)).body;
  const reports = async () =>
    (await api.get<ActingReport[]>(`user/proxy/reports?userId=${proxy.userId}`)).body;
  const stepsOf = async (id: number | undefined) =>
    (await api.get<ActingReportVm>(`user/proxy/reports/${id}?pageSize=1000`)).body.steps.map(
      ({ operationId, status }) => [operationId, status],
    );

  test('begins with a reason, and every part of the console knows for whom', async () => {
    const { status, body, headers } = await begin();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { id: proxy.userId },
      acting: {
        principal: { id: principal.userId, email: principal.email, fullName: 'Ada Okafor' },
        reason: 'Ticket 4711',
      },
      capabilities: ['Read Data', 'View Activity'],
      membershipExpiresDate: null,
    });
    expect(headers['x-steward-acting']).toBe('0');
    const next = await calls.get('user');
    expect([next.status, next.headers['x-steward-acting']]).toEqual([200, String(body.acting?.reportId)]);
    expect(await session()).toMatchObject({ acting: body.acting });
  });

  test('ends, and the session is one’s own again', async () => {
    await begin();
    const { status, body } = await calls.del<Session>(ACTING);
    expect([status, body.acting, body.capabilities]).toEqual([200, undefined, ['Write Data']]);
    expect((await calls.get('user')).status).toBe(403);
    expect((await calls.del(ACTING)).status).toBe(409);
    expect((await reports())[0]).toMatchObject({ source: 'console', endedDate: ENDED });
  });

  test('is told: a mail with the reason, activity with both people, audit of beginning and end', async () => {
    const { db } = house();
    await begin(principal.userId, '  <b>Why</b>\nnot  ');
    await calls.del(ACTING);
    const mail = await db
      .selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', principal.email)
      .orderBy('mail_id', 'desc')
      .executeTakeFirst();
    expect(mail?.body_text).toContain('\n<b>Why</b> not\n');
    const rows = await db.selectFrom('activity').selectAll().where('site_id', '=', siteId).execute();
    expect(rows).toMatchObject([
      { user_id: proxy.userId, principal_user_id: principal.userId, activity_type_id: 9, source_type_id: 1 },
    ]);
    const audit = await db
      .selectFrom('audit_log')
      .select(['action', 'actor_id', 'proxy_id', 'subject_id'])
      .where('site_id', '=', siteId)
      .where('action', 'like', 'acting.%')
      .orderBy('audit_id')
      .execute();
    const own = { actor_id: proxy.userId, proxy_id: null, subject_id: String(principal.userId) };
    expect(audit).toEqual([
      { action: 'acting.begin', ...own },
      { action: 'acting.end', ...own },
    ]);
  });

  test('is refused: without an assignment alike for everybody, twice, without a reason', async () => {
    const stranger = await makePerson(house().db, siteId);
    const refused = await Promise.all(
      [stranger.userId, proxy.userId, 2_147_483_647].map((userId) => begin(userId)),
    );
    expect([...new Set(refused.map(({ status, body }) => `${status} ${body.message}`))]).toEqual([
      '403 No proxy assignment lets you act for this user',
    ]);
    expect((await begin(principal.userId, '  a ')).body.errors).toMatchObject([{ path: 'reason' }]);
    const both = await Promise.all([begin(), begin()]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    await api.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId, stranger.userId] });
    expect((await begin(stranger.userId)).status).toBe(409);
    expect(await reports()).toHaveLength(1);
  });

  test('lists for whom, and why not now', async () => {
    const { db, app } = house();
    const resting = await makePerson(db, siteId);
    await api.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId, resting.userId] });
    await api.put('user', { id: resting.userId, isActive: false });
    const { body } = await calls.get<OwnPrincipal[]>('/api/session/principals');
    expect(new Map(body.map(({ id, refusal }) => [id, refusal]))).toEqual(
      new Map([
        [principal.userId, null],
        [resting.userId, 'This user is deactivated'],
      ]),
    );
    expect((await begin(resting.userId)).body.message).toBe('This user is deactivated');
    expect((await as(app, principal, 'console').get('/api/session/principals')).body).toEqual([]);
  });

  test('leaves one’s own account and session as they are, and hands out no files', async () => {
    await begin();
    const own = [
      await calls.get('/api/session/principals'),
      await calls.get('/api/session/apikey'),
      await calls.put('/api/session/site', { siteId }),
      await calls.post('/api/session/export', { exportDataType: 0, subject: 'users', rows: 1 }),
    ];
    expect(own.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(own[3]?.text).toContain('exported');
    expect((await calls.get('user', { headers: { 'as-user': String(principal.userId) } })).status).toBe(403);
  });

  describe('what ends it while it goes on', () => {
    test.each([
      ['the assignment is removed', () => api.post('user/proxy', { proxyUserId: proxy.userId, users: [] })],
      ['the principal is deactivated', () => api.put('user', { id: principal.userId, isActive: false })],
      [
        'the principal loses the license',
        () => api.put('userLicense', { userId: principal.userId, licenseTypeId: 4 }),
      ],
      ['the principal leaves', () => api.del(`user/${principal.userId}`)],
    ])('%s: the next request is refused, and the session is one’s own', async (_what, end) => {
      const { body } = await begin();
      await end();
      const refused = await calls.get<Refusal>('user');
      expect([refused.status, refused.headers['x-steward-acting']]).toEqual([403, '0']);
      expect(refused.body.message).toContain('the session is your own again');
      expect((await session()).acting).toBeUndefined();
      expect((await calls.get('user')).headers['x-steward-acting']).toBe('0');
      expect((await reports())[0]).toMatchObject({
        id: body.acting?.reportId,
        endedDate: ENDED,
      });
    });

    test('a page that asks for the session first finds it as it is', async () => {
      await begin();
      await api.put('user', { id: principal.userId, isActive: false });
      expect((await session()).acting).toBeUndefined();
    });

    test.each([
      ['sign-out', () => calls.del(SESSION)],
      ['deactivation of the proxy', () => api.put('user', { id: proxy.userId, isActive: false })],
      ['removal of the proxy', () => api.del(`user/${proxy.userId}`)],
    ])('%s ends the report with the session', async (_what, end) => {
      await begin();
      await end();
      expect((await reports())[0]).toMatchObject({ endedDate: ENDED });
      expect((await calls.get(SESSION)).status).toBe(401);
    });

    test('silence ends it when the session ends, not when somebody sweeps it', async () => {
      await begin();
      const { db } = house();
      await sql`update session set last_seen_at = now() - interval '1 hour' where user_id = ${proxy.userId}`.execute(
        db,
      );
      await sql`update acting_report set started_at = started_at - interval '2 hours' where site_id = ${siteId}`.execute(
        db,
      );
      const [open] = await reports();
      await db.deleteFrom('session').where('user_id', '=', proxy.userId).execute();
      const [swept] = await reports();
      expect(open?.endedDate).toBe(swept?.endedDate);
      const minutes = (Date.now() - Date.parse(swept?.endedDate ?? '')) / 60_000;
      expect(Math.round(minutes)).toBe(30);
    });
  });

  test('a page that believes to act for somebody else is refused, whatever it asks, and told how it is', async () => {
    expect((await calls.get('/api/session/principals', believing('0'))).status).toBe(200);
    const { body } = await begin();
    const reportId = String(body.acting?.reportId);
    expect((await calls.get('user', believing(reportId))).status).toBe(200);
    const refused = await calls.get('user', believing('0'));
    expect([refused.status, refused.headers['x-steward-acting']]).toEqual([409, reportId]);
    await calls.del(ACTING, undefined, believing(reportId));
    expect((await calls.get('user', believing(reportId))).status).toBe(409);
    expect((await calls.get(SESSION, believing(reportId))).status).toBe(200);
  });

  test('every request is a step; two sessions of one person are two reports', async () => {
    const { body } = await begin();
    await calls.get('user');
    await calls.post('users', [principal.userId]);
    await calls.put('user', { id: principal.userId, lastName: 'Taken' });
    await calls.del(ACTING);
    await calls.get('user');
    await begin();
    expect((await reports()).map(({ endedDate }) => endedDate !== null)).toEqual([false, true]);
    const expected = [
      ['searchUsers', 200],
      ['getUsersByIds', 200],
      ['updateUser', 403],
      ['endActing', 200],
    ];
    await expect.poll(() => stepsOf(body.acting?.reportId), { timeout: 10_000 }).toEqual(expected);
  });

  test('an end to the membership is told', async () => {
    await sql`update membership set expires_at = '2999-01-01' where user_id = ${proxy.userId}`.execute(
      house().db,
    );
    expect((await session()).membershipExpiresDate).toBe('2999-01-01T00:00:00.000Z');
  });
});
