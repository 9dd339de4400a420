/** What is written into the report, by the doors and by the clock. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Session, UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { expireSessions, forgetActivity } from '../../kernel/audit/activity.store.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { writeRows } from '../../testing/activity.ts';
import { callsWith, send, type Reply } from '../../testing/calls.ts';
import { cheapHash } from '../../testing/sign-in.ts';
import { as, joinSite, makeKey, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);
const DAY = 86_400_000;

const tokenOf = ({ headers }: Reply<unknown>) =>
  /steward=([\w-]+)/.exec(String(headers['set-cookie']))?.[1] ?? '';

onEachApp((house) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(house().db, await makeSite(house().db), { passwordHash });
  });

  const at = { remoteAddress: '203.0.113.9' };
  const visitor = (cookie = '') =>
    callsWith(house().app, '/console', {
      'x-steward-console': '1',
      ...(cookie && { cookie: `steward=${cookie}` }),
    });
  const signIn = (password = PASSWORD, cookie = '') =>
    visitor(cookie).post<Session>('/api/session', { email: person.email, password }, at);
  const setSession = (token: string, values: object) =>
    house().db.updateTable('session').set(values).where('token_hash', '=', hashSecret(token)).execute();
  /** The newest first; what the tests' own calls do is not activity. */
  const rows = async (siteId = person.siteId) => {
    const admin = await makePerson(house().db, siteId);
    const reply = await as(house().app, admin).post<{ rows: UserActivityEntry[] }>(
      'user/activity?pageSize=100',
      {},
    );
    return reply.body.rows;
  };
  const kinds = async () => (await rows()).map(({ activityTypeId }) => activityTypeId).toReversed();

  test('a session has one number from its sign-in through exports to its end, with the address of each', async () => {
    const token = tokenOf(await signIn());
    const exported = { exportDataType: 2, subject: 'users', rows: 120 };
    expect((await visitor(token).post('/api/session/export', exported, at)).status).toBe(204);
    expect((await visitor(token).del('/api/session', undefined, at)).status).toBe(204);
    const written = (await rows()).toReversed();
    const said = {
      sourceTypeId: 1,
      ipAddress: '203.0.113.9',
      sessionId: written[0]?.sessionId,
      userId: person.userId,
    };
    expect(written).toMatchObject([
      { ...said, activityTypeId: 1 },
      { ...said, activityTypeId: 8, exportDataType: 2 },
      { ...said, activityTypeId: 3 },
    ]);
    expect(written[0]?.sessionId).toMatch(/^[\da-f]{8}-/);
    const audited = await house()
      .db.selectFrom('audit_log')
      .select(['subject_id', 'changes'])
      .where('action', '=', 'user.export')
      .where('actor_id', '=', person.userId)
      .execute();
    expect(audited).toEqual([
      { subject_id: 'users', changes: { exportDataType: [null, 2], rows: [null, 120] } },
    ]);
  });

  test('the session that a browser had ends with a new sign-in, and with the change to another site', async () => {
    const first = tokenOf(await signIn());
    const second = tokenOf(await signIn(PASSWORD, first));
    const other = await makeSite(house().db);
    await joinSite(house().db, other, person.userId);
    expect((await visitor(second).put('/api/session/site', { siteId: other }, at)).status).toBe(200);
    const here = (await rows()).toReversed();
    expect(here.map(({ activityTypeId }) => activityTypeId)).toEqual([1, 3, 1, 3]);
    expect([here[0]?.sessionId, here[2]?.sessionId]).toEqual([here[1]?.sessionId, here[3]?.sessionId]);
    expect(here[0]?.sessionId).not.toBe(here[2]?.sessionId);
    expect((await rows(other)).map(({ activityTypeId }) => activityTypeId)).toEqual([1]);
  });

  test('refused sign-ins of every kind', async () => {
    await signIn('wrong password');
    await house()
      .db.updateTable('account')
      .set({ locked_until: new Date(Date.now() + DAY) })
      .where('user_id', '=', person.userId)
      .execute();
    await signIn();
    await house()
      .db.updateTable('account')
      .set({ locked_until: null })
      .where('user_id', '=', person.userId)
      .execute();
    await house()
      .db.updateTable('membership')
      .set({ is_active: false })
      .where('user_id', '=', person.userId)
      .execute();
    await signIn();
    const written = (await rows()).toReversed();
    expect(written.map(({ activityTypeId }) => activityTypeId)).toEqual([2, 5, 7]);
    expect(new Set(written.map(({ ipAddress, sessionId }) => `${ipAddress} ${sessionId}`))).toEqual(
      new Set(['203.0.113.9 null']),
    );
  });

  test('programs sign in by their tokens: right, with a wrong secret, and with a key that is off', async () => {
    await house()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', person.clientId)
      .execute();
    const key = await makeKey(house().db, person);
    const ask = (secret: string) =>
      send(house().app, {
        method: 'POST',
        url: '/api/rest/v1/oauth/token',
        payload: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: String(key.clientId),
          client_secret: secret,
        }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        ...at,
      });
    expect((await ask(key.secret)).status).toBe(200);
    expect((await ask('wrong')).status).toBe(401);
    await house()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', key.clientId)
      .execute();
    expect((await ask(key.secret)).status).toBe(401);
    const written = (await rows()).toReversed();
    const said = { sourceTypeId: 3, ipAddress: '203.0.113.9', userId: person.userId };
    expect(written).toMatchObject([
      { ...said, activityTypeId: 1, sessionId: written[0]?.sessionId ?? 'a number' },
      { ...said, activityTypeId: 2, sessionId: null },
      { ...said, activityTypeId: 7, sessionId: null },
    ]);
  });

  test('a session that ran out, by silence or at its end, is told once, however many look at the same time', async () => {
    const [silent, over, awake] = [tokenOf(await signIn()), tokenOf(await signIn()), tokenOf(await signIn())];
    await setSession(silent, { last_seen_at: new Date(Date.now() - 31 * 60_000) });
    await setSession(over, { expires_at: new Date(Date.now() - 1000) });
    await Promise.all(Array.from({ length: 5 }, () => expireSessions(house().db)));
    const written = await rows();
    const numbers = (type: number) =>
      written.filter(({ activityTypeId }) => activityTypeId === type).map(({ sessionId }) => sessionId);
    expect(numbers(4)).toHaveLength(2);
    expect(new Set(numbers(1)).isSupersetOf(new Set(numbers(4)))).toBe(true);
    expect(written[0]?.ipAddress).toBe('203.0.113.9');
    expect((await visitor(awake).get('/api/session')).status).toBe(200);
    // Whoever signs out of a session that has run out did not sign out.
    await setSession(awake, { expires_at: new Date(Date.now() - 1000) });
    await signIn(PASSWORD, awake);
    expect((await kinds()).slice(-2)).toEqual([4, 1]);
  });

  test('what is older than the report is forgotten, counts included; all else stays', async () => {
    const { db } = house();
    const row = {
      userId: person.userId,
      type: 1,
      source: 1,
      ip: '10.0.0.1',
      principalId: null,
      exportKind: null,
    };
    const aged = [99, 98.5, 97.9, 1].map((days) => ({ ...row, at: Date.now() - days * DAY }));
    await writeRows(db, person.siteId, aged);
    await forgetActivity(db, 98);
    const { rows: left } = await sql<{ rows: number; counted: number; cells: number }>`
      select (select count(*) from activity where site_id = ${person.siteId}) as rows,
        (select sum(n)::bigint from activity_hour where site_id = ${person.siteId}) as counted,
        (select count(*) from activity_from where site_id = ${person.siteId}) as cells`.execute(db);
    expect(left).toEqual([{ rows: 2, counted: 2, cells: 2 }]);
  });
});
