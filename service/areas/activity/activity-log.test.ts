/** Rows that sign-ins, exports and scheduled tasks write to the activity log. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Session, UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { deleteExpiredSessions } from '../../kernel/audit/activity.store.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { insertRows } from '../../testing/activity.ts';
import { createApiClient, send } from '../../testing/calls.ts';
import { getSessionCookie, hashCheaply } from '../../testing/sign-in.ts';
import {
  as,
  joinSite,
  makeKey,
  makePerson,
  makeSite,
  onEachApp,
  services,
  type Person,
} from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createActivityTasks } from './scheduled-tasks.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);
const DAY_MS = 86_400_000;

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(context().db, await makeSite(context().db), { passwordHash });
  });

  const requestOptions = { remoteAddress: '203.0.113.9' };
  const callConsole = (cookie = '') =>
    createApiClient(context().app, '/console', {
      'x-steward-console': '1',
      ...(cookie && { cookie: `steward=${cookie}` }),
    });
  const signIn = (password = PASSWORD, cookie = '') =>
    callConsole(cookie).post<Session>('/api/session', { email: person.email, password }, requestOptions);
  const updateSession = (token: string, values: object) =>
    context().db.updateTable('session').set(values).where('token_hash', '=', hashSecret(token)).execute();
  /** Newest first; calls of the tests themselves are not logged. */
  const listRows = async (siteId = person.siteId) => {
    const admin = await makePerson(context().db, siteId);
    const reply = await as(context().app, admin).post<{ rows: UserActivityEntry[] }>(
      'user/activity?pageSize=100',
      {},
    );
    return reply.body.rows;
  };
  const listKinds = async () => (await listRows()).map(({ activityTypeId }) => activityTypeId).toReversed();

  test('logs sign-in, export and sign-out with the same session id and the address', async () => {
    const token = getSessionCookie(await signIn());
    const exported = { exportDataType: 2, subject: 'users', rows: 120 };
    expect((await callConsole(token).post('/api/session/export', exported, requestOptions)).status).toBe(204);
    expect((await callConsole(token).del('/api/session', undefined, requestOptions)).status).toBe(204);
    const activities = (await listRows()).toReversed();
    const expected = {
      sourceTypeId: 1,
      ipAddress: '203.0.113.9',
      sessionId: activities[0]?.sessionId,
      userId: person.userId,
    };
    expect(activities).toMatchObject([
      { ...expected, activityTypeId: 1 },
      { ...expected, activityTypeId: 8, exportDataType: 2 },
      { ...expected, activityTypeId: 3 },
    ]);
    expect(activities[0]?.sessionId).toMatch(/^[\da-f]{8}-/);
    const audited = await context()
      .db.selectFrom('audit_log')
      .select(['subject_id', 'changes'])
      .where('action', '=', 'user.export')
      .where('actor_id', '=', person.userId)
      .execute();
    expect(audited).toEqual([
      { subject_id: 'users', changes: { exportDataType: [null, 2], rows: [null, 120] } },
    ]);
  });

  test('logs the end of the previous session at a new sign-in and at a switch of the site', async () => {
    const firstToken = getSessionCookie(await signIn());
    const secondToken = getSessionCookie(await signIn(PASSWORD, firstToken));
    const otherSiteId = await makeSite(context().db);
    await joinSite(context().db, otherSiteId, person.userId);
    expect(
      (await callConsole(secondToken).put('/api/session/site', { siteId: otherSiteId }, requestOptions))
        .status,
    ).toBe(200);
    const activities = (await listRows()).toReversed();
    expect(activities.map(({ activityTypeId }) => activityTypeId)).toEqual([1, 3, 1, 3]);
    expect([activities[0]?.sessionId, activities[2]?.sessionId]).toEqual([
      activities[1]?.sessionId,
      activities[3]?.sessionId,
    ]);
    expect(activities[0]?.sessionId).not.toBe(activities[2]?.sessionId);
    expect((await listRows(otherSiteId)).map(({ activityTypeId }) => activityTypeId)).toEqual([1]);
  });

  test('logs every kind of refused sign-in', async () => {
    await signIn('wrong password');
    await context()
      .db.updateTable('account')
      .set({ locked_until: new Date(Date.now() + DAY_MS) })
      .where('user_id', '=', person.userId)
      .execute();
    await signIn();
    await context()
      .db.updateTable('account')
      .set({ locked_until: null })
      .where('user_id', '=', person.userId)
      .execute();
    await context()
      .db.updateTable('membership')
      .set({ is_active: false })
      .where('user_id', '=', person.userId)
      .execute();
    await signIn();
    const activities = (await listRows()).toReversed();
    expect(activities.map(({ activityTypeId }) => activityTypeId)).toEqual([2, 5, 7]);
    expect(new Set(activities.map(({ ipAddress, sessionId }) => `${ipAddress} ${sessionId}`))).toEqual(
      new Set(['203.0.113.9 null']),
    );
  });

  test('logs token requests with a valid key, a wrong secret and a disabled key', async () => {
    await context()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', person.clientId)
      .execute();
    const key = await makeKey(context().db, person);
    const requestToken = (secret: string) =>
      send(context().app, {
        method: 'POST',
        url: '/api/rest/v1/oauth/token',
        payload: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: String(key.clientId),
          client_secret: secret,
        }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        ...requestOptions,
      });
    expect((await requestToken(key.secret)).status).toBe(200);
    expect((await requestToken('wrong')).status).toBe(401);
    await context()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', key.clientId)
      .execute();
    expect((await requestToken(key.secret)).status).toBe(401);
    const activities = (await listRows()).toReversed();
    const expected = { sourceTypeId: 3, ipAddress: '203.0.113.9', userId: person.userId };
    expect(activities).toMatchObject([
      { ...expected, activityTypeId: 1, sessionId: activities[0]?.sessionId ?? 'a number' },
      { ...expected, activityTypeId: 2, sessionId: null },
      { ...expected, activityTypeId: 7, sessionId: null },
    ]);
  });

  test('logs an expired session once, even when several processes expire it at the same time', async () => {
    const [silent, over, awake] = [
      getSessionCookie(await signIn()),
      getSessionCookie(await signIn()),
      getSessionCookie(await signIn()),
    ];
    await updateSession(silent, { last_seen_at: new Date(Date.now() - 31 * 60_000) });
    await updateSession(over, { expires_at: new Date(Date.now() - 1000) });
    await Promise.all(Array.from({ length: 5 }, () => deleteExpiredSessions(context().db)));
    const activities = await listRows();
    const listSessionIds = (type: number) =>
      activities.filter(({ activityTypeId }) => activityTypeId === type).map(({ sessionId }) => sessionId);
    expect(listSessionIds(4)).toHaveLength(2);
    expect(new Set(listSessionIds(1)).isSupersetOf(new Set(listSessionIds(4)))).toBe(true);
    expect(activities[0]?.ipAddress).toBe('203.0.113.9');
    expect((await callConsole(awake).get('/api/session')).status).toBe(200);
    // Ending an expired session is logged as expired, not as signed out.
    await updateSession(awake, { expires_at: new Date(Date.now() - 1000) });
    await signIn(PASSWORD, awake);
    expect((await listKinds()).slice(-2)).toEqual([4, 1]);
  });

  test('deletes activity older than the report with its counts, and nothing else', async () => {
    const { db } = context();
    const row = {
      userId: person.userId,
      type: 1,
      source: 1,
      ip: '10.0.0.1',
      principalId: null,
      exportKind: null,
    };
    const aged = [99, 98.5, 97.9, 1].map((days) => ({ ...row, at: Date.now() - days * DAY_MS }));
    await insertRows(db, person.siteId, aged);
    for (const task of createActivityTasks({ db, services })) await runTask(task);
    const { rows: remaining } = await sql<{ rows: number; counted: number; cells: number }>`
      select (select count(*) from activity where site_id = ${person.siteId}) as rows,
        (select sum(n)::bigint from activity_hour where site_id = ${person.siteId}) as counted,
        (select count(*) from activity_from where site_id = ${person.siteId}) as cells`.execute(db);
    expect(remaining).toEqual([{ rows: 2, counted: 2, cells: 2 }]);
  });
});
