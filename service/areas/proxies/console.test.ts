/** Acting in a session of the console. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  ActingReport,
  ActingReportVm,
  OwnPrincipal,
  Session,
} from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const SESSION = '/api/session';
const ACTING = '/api/session/acting';
/** Headers of a page that assumes the session acts in this report. */
const assumingState = (state: string) => ({ headers: { 'x-steward-acting': state } });
const ENDED: unknown = expect.any(String);

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let proxy: Person;
  let principal: Person;
  let api: ApiClient;
  let calls: ApiClient;
  beforeEach(async () => {
    const { db, app } = context();
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
    calls.put<Session & ErrorBody>(ACTING, { userId, reason });
  const session = async () => (await calls.get<Session>(SESSION)).body;
  const listReports = async () =>
    (await api.get<ActingReport[]>(`user/proxy/reports?userId=${proxy.userId}`)).body;
  const listEntries = async (id: number | undefined) =>
    (await api.get<ActingReportVm>(`user/proxy/reports/${id}?pageSize=1000`)).body.steps.map(
      ({ operationId, status }) => [operationId, status],
    );

  test('starts with a reason and is visible in the session and in every response', async () => {
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

  test('needs no reason where the site requires none; one that is given is kept', async () => {
    expect((await calls.put(ACTING, { userId: principal.userId })).status).toBe(400);
    await api.put('settings', { requiresActingReason: false });
    const { status, body } = await calls.put<Session>(ACTING, { userId: principal.userId, reason: '  ' });
    expect([status, body.acting?.reason, body.site.requiresActingReason]).toEqual([200, null, false]);
    const mail = await context()
      .db.selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', principal.email)
      .orderBy('mail_id', 'desc')
      .executeTakeFirst();
    expect(mail?.body_text).toContain('has started to act for you');
    expect(mail?.body_text).toContain('No reason was given.');
    expect(mail?.body_text).not.toContain('program');
    await calls.del(ACTING);
    expect((await calls.put<Session>(ACTING, { userId: principal.userId })).body.acting?.reason).toBeNull();
    await calls.del(ACTING);
    await begin(principal.userId, 'Hi');
    expect((await listReports()).map(({ source, reason }) => [source, reason])).toEqual([
      ['console', 'Hi'],
      ['console', null],
      ['console', null],
    ]);
    await calls.del(ACTING);
    await api.put('settings', { requiresActingReason: true });
    expect((await begin(principal.userId, 'Hi')).status).toBe(400);
  });

  test('ends and returns the session to its own capabilities', async () => {
    await begin();
    const { status, body } = await calls.del<Session>(ACTING);
    expect([status, body.acting, body.capabilities]).toEqual([200, undefined, ['Write Data']]);
    expect((await calls.get('user')).status).toBe(403);
    expect((await calls.del(ACTING)).status).toBe(409);
    expect((await listReports())[0]).toMatchObject({ source: 'console', endedDate: ENDED });
  });

  test('is reported by a mail with the reason, activity with both users and audit rows of start and end', async () => {
    const { db } = context();
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

  test('is refused without an assignment (same message for everybody), without a reason and when acting already', async () => {
    const stranger = await makePerson(context().db, siteId);
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
    expect(await listReports()).toHaveLength(1);
  });

  test('lists the principals and why acting is not possible now', async () => {
    const { db, app } = context();
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

  test("protects the proxy's own account and session and refuses downloads", async () => {
    await begin();
    const own = [
      await calls.get('/api/session/principals'),
      await calls.get('/api/session/apikey'),
      await calls.put('/api/session/site', { siteId }),
      await calls.post('/api/session/export', { exportDataType: 0, subject: 'users', rows: 1 }),
    ];
    expect(own.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(own[3]?.text).toContain('Exports and downloads');
    expect((await calls.get('user', { headers: { 'as-user': String(principal.userId) } })).status).toBe(403);
  });

  describe('ends early', () => {
    test.each([
      ['the assignment is removed', () => api.post('user/proxy', { proxyUserId: proxy.userId, users: [] })],
      ['the principal is deactivated', () => api.put('user', { id: principal.userId, isActive: false })],
      [
        'the principal loses the license',
        () => api.put('userLicense', { userId: principal.userId, licenseTypeId: 4 }),
      ],
      ['the principal leaves', () => api.del(`user/${principal.userId}`)],
    ])('if %s: the next request is refused and acting ends', async (_what, end) => {
      const { body } = await begin();
      await end();
      const refused = await calls.get<ErrorBody>('user');
      expect([refused.status, refused.headers['x-steward-acting']]).toEqual([403, '0']);
      expect(refused.body.message).toContain('The session is your own again');
      expect((await session()).acting).toBeUndefined();
      expect((await calls.get('user')).headers['x-steward-acting']).toBe('0');
      expect((await listReports())[0]).toMatchObject({
        id: body.acting?.reportId,
        endedDate: ENDED,
      });
    });

    test('and the session shows it when requested first', async () => {
      await begin();
      await api.put('user', { id: principal.userId, isActive: false });
      expect((await session()).acting).toBeUndefined();
    });

    test.each([
      ['sign-out', () => calls.del(SESSION)],
      ['deactivation of the proxy', () => api.put('user', { id: proxy.userId, isActive: false })],
      ['removal of the proxy', () => api.del(`user/${proxy.userId}`)],
    ])('with the session: %s ends the report', async (_what, end) => {
      await begin();
      await end();
      expect((await listReports())[0]).toMatchObject({ endedDate: ENDED });
      expect((await calls.get(SESSION)).status).toBe(401);
    });

    test('with the timeout of the session, even before it is deleted', async () => {
      await begin();
      const { db } = context();
      await sql`update session set last_seen_at = now() - interval '1 hour' where user_id = ${proxy.userId}`.execute(
        db,
      );
      await sql`update acting_report set started_at = started_at - interval '2 hours' where site_id = ${siteId}`.execute(
        db,
      );
      const [open] = await listReports();
      await db.deleteFrom('session').where('user_id', '=', proxy.userId).execute();
      const [swept] = await listReports();
      expect(open?.endedDate).toBe(swept?.endedDate);
      const minutes = (Date.now() - Date.parse(swept?.endedDate ?? '')) / 60_000;
      expect(Math.round(minutes)).toBe(30);
    });
  });

  test('a page that assumes a different acting state is refused and told the actual one', async () => {
    expect((await calls.get('/api/session/principals', assumingState('0'))).status).toBe(200);
    const { body } = await begin();
    const reportId = String(body.acting?.reportId);
    expect((await calls.get('user', assumingState(reportId))).status).toBe(200);
    const refused = await calls.get('user', assumingState('0'));
    expect([refused.status, refused.headers['x-steward-acting']]).toEqual([409, reportId]);
    await calls.del(ACTING, undefined, assumingState(reportId));
    expect((await calls.get('user', assumingState(reportId))).status).toBe(409);
    expect((await calls.get(SESSION, assumingState(reportId))).status).toBe(200);
  });

  test('every request creates an entry, and each acting session a report', async () => {
    const { body } = await begin();
    await calls.get('user');
    await calls.post('users', [principal.userId]);
    await calls.put('user', { id: principal.userId, lastName: 'Taken' });
    await calls.del(ACTING);
    await calls.get('user');
    await begin();
    expect((await listReports()).map(({ endedDate }) => endedDate !== null)).toEqual([false, true]);
    const expected = [
      ['searchUsers', 200],
      ['getUsersByIds', 200],
      ['updateUser', 403],
      ['endActing', 200],
    ];
    await expect.poll(() => listEntries(body.acting?.reportId), { timeout: 10_000 }).toEqual(expected);
  });

  test('the session shows the end of the membership', async () => {
    await sql`update membership set expires_at = '2999-01-01' where user_id = ${proxy.userId}`.execute(
      context().db,
    );
    expect((await session()).membershipExpiresDate).toBe('2999-01-01T00:00:00.000Z');
  });
});
