import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OwnSecurity, Session } from '../../contract/generated/types.gen.ts';
import { expireSessions } from '../kernel/audit/activity.store.ts';
import { codeOf } from '../testing/authenticator.ts';
import type { Refusal, Reply } from '../testing/calls.ts';
import { browserWith, cheapHash, enrol, givePassword, sessionCookie } from '../testing/sign-in.ts';
import { makePerson, makeSite, onEachApp, openApp, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);
const hex = (text: string) => Buffer.from(text).toString('hex');
const statusOf = ({ status }: Reply<unknown>) => status;

onEachApp((house) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    person = await makePerson(house().db, siteId, { passwordHash });
    await house()
      .db.updateTable('membership')
      .set({ two_factor_enabled: true })
      .where('user_id', '=', person.userId)
      .execute();
  });

  const signIn = () => givePassword(house().app, { email: person.email, password: PASSWORD });
  const half = async () => sessionCookie(await signIn());
  const verify = (cookie: string, proof: object, app = house().app) =>
    browserWith(app, { steward: cookie }).post<Session & Refusal>('/api/session/two-factor', proof);
  const security = async (cookie: string) =>
    (await browserWith(house().app, { steward: cookie }).get<OwnSecurity>('/api/session/security')).body;
  const activities = async () => {
    const { rows } = await sql<{ kind: number }>`select activity_type_id as kind from activity
      where user_id = ${person.userId} order by activity_id`.execute(house().db);
    return rows.map(({ kind }) => kind);
  };
  /** Somebody with an app whose codes of now have not been used: the step of its confirmation is long over. */
  const enrolled = async () => {
    const made = await enrol(house().app, await half());
    await house().db.updateTable('authenticator').set({ last_step: 1 }).execute();
    return made;
  };

  describe('setting it up', () => {
    test('the next sign-in asks for it, and only a code of the app makes it whole, under a new secret', async () => {
      const reply = await signIn();
      expect([reply.status, reply.body.pending, reply.body.methods]).toEqual([202, 'enrolment', []]);
      expect(reply.text).not.toContain(person.email);
      const cookie = sessionCookie(reply);
      expect(statusOf(await browserWith(house().app, { steward: cookie }).get('/api/session'))).toBe(401);
      const wrong = await browserWith(house().app, { steward: cookie }).put<Refusal>(
        '/api/session/two-factor/enrolment',
        { code: '000000' },
      );
      expect(wrong.status).toBe(409);
      const made = await enrol(house().app, cookie);
      expect(made.reply.status).toBe(200);
      expect(made.cookie).not.toBe(cookie);
      expect(made.recoveryCodes).toHaveLength(10);
      expect(new Set(made.recoveryCodes).size).toBe(10);
      expect(statusOf(await browserWith(house().app, { steward: cookie }).get('/api/session'))).toBe(401);
      expect(statusOf(await browserWith(house().app, { steward: made.cookie }).get('/api/session'))).toBe(
        200,
      );
      expect(await security(made.cookie)).toMatchObject({
        twoFactorRequired: true,
        recoveryCodesLeft: 10,
        proofs: ['code', 'recovery-code'],
      });
      expect(await activities()).toEqual([1]);
    });

    test('neither seed nor codes stand in the database as they are, nor in any answer again', async () => {
      const { secret, recoveryCodes, cookie } = await enrolled();
      const { rows } = await sql<{ all: string }>`
        select (select string_agg(a::text, ' ') from authenticator a) || (select string_agg(r::text, ' ') from recovery_code r)
          || (select string_agg(l.changes::text, ' ') from audit_log l where l.site_id = ${siteId}) as all`.execute(
        house().db,
      );
      for (const shown of [secret, recoveryCodes[0] ?? ''])
        for (const form of [shown, hex(shown), shown.replaceAll('-', '')])
          expect(rows[0]?.all.includes(form)).toBe(false);
      expect(JSON.stringify(await security(cookie))).not.toContain(secret);
    });

    test('lists of users tell that it is set up, and who synchronises is told', async () => {
      const admin = browserWith(house().app, { steward: (await makePerson(house().db, siteId)).cookie });
      const before = await admin.get<object>(`user/${person.userId}`);
      expect(before.body).toMatchObject({ twoFactorEnabled: true, secondFactorSetUp: false });
      await enrolled();
      const after = await admin.get<object>(`user/${person.userId}`);
      expect(after.body).toMatchObject({ secondFactorSetUp: true });
      expect(after.headers['etag']).not.toBe(before.headers['etag']);
    });

    test('five wrong first codes end the sign-in', async () => {
      const cookie = await half();
      const calls = browserWith(house().app, { steward: cookie });
      await calls.post('/api/session/two-factor/enrolment');
      const replies: number[] = [];
      for (let at = 0; at < 6; at += 1)
        replies.push(
          statusOf(await calls.put('/api/session/two-factor/enrolment', { code: '12345' + String(at) })),
        );
      expect(replies).toEqual([400, 400, 400, 400, 401, 401]);
      expect(await activities()).toEqual([6, 6, 6, 6, 6]);
    });
  });

  describe('giving it', () => {
    test('a code opens the session once, and the password alone opens nothing', async () => {
      const { secret } = await enrolled();
      const reply = await signIn();
      expect([reply.status, reply.body.pending, reply.body.methods]).toEqual([
        202,
        'two-factor',
        ['code', 'recovery-code'],
      ]);
      const code = await codeOf(secret);
      const cookie = sessionCookie(reply);
      const whole = await verify(cookie, { code });
      expect([whole.status, whole.body.user.id]).toEqual([200, person.userId]);
      expect(sessionCookie(whole)).not.toBe(cookie);
      expect(statusOf(await verify(cookie, { code }))).toBe(401);
      expect(statusOf(await verify(await half(), { code }))).toBe(400);
      expect(statusOf(await verify(await half(), { code: await codeOf(secret, -30) }))).toBe(400);
    });

    test('of fifty at the same moment with one code, on two processes, one gets through (T14)', async () => {
      const { secret } = await enrolled();
      await sql`delete from throttle`.execute(house().db);
      const other = await openApp(house().database);
      const code = await codeOf(secret);
      // Each with a sign-in of its own: not the five tries are what stops them.
      const cookies: string[] = [];
      for (let at = 0; at < 10; at += 1) cookies.push(await half());
      await sql`update session set tries = -50 where user_id = ${person.userId}`.execute(house().db);
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          verify(cookies[at % 10] ?? '', { code }, at % 2 ? other : house().app),
        ),
      );
      await other.close();
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test.each([
      ' 123456',
      '123 456',
      '123456\n',
      '１２３４５６',
      '12345',
      '1234567',
      '١٢٣٤٥٦',
      ['123456'],
      123456,
    ])('%j is no code: refused before anything looks at it', async (code) => {
      await enrolled();
      expect(statusOf(await verify(await half(), { code }))).toBe(400);
      expect(await activities()).not.toContain(6);
    });

    test('a code that was right with spaces or in other digits is not, and stays good', async () => {
      const { secret } = await enrolled();
      const code = await codeOf(secret);
      const cookie = await half();
      const wide = Array.from(code, (digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
      for (const form of [` ${code}`, `${code.slice(0, 3)} ${code.slice(3)}`, wide])
        expect(statusOf(await verify(cookie, { code: form }))).toBe(400);
      expect(statusOf(await verify(cookie, { code }))).toBe(200);
    });

    test('a step before one that was taken is refused', async () => {
      const { secret } = await enrolled();
      expect(statusOf(await verify(await half(), { code: await codeOf(secret) }))).toBe(200);
      const { rows } = await sql<{ step: number }>`select last_step as step from authenticator
        where user_id = ${person.userId}`.execute(house().db);
      expect(rows[0]?.step).toBeGreaterThan(50_000_000);
      await sql`update authenticator set last_step = last_step + 1 where user_id = ${person.userId}`.execute(
        house().db,
      );
      expect(statusOf(await verify(await half(), { code: await codeOf(secret) }))).toBe(400);
    });

    test('five wrong ones end the sign-in, also at the same moment; ten in a quarter of an hour are the most', async () => {
      await enrolled();
      const cookie = await half();
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, at) => verify(cookie, { code: String(100_000 + at) })),
      );
      expect(replies.map(statusOf).toSorted((a, b) => a - b)).toEqual([
        400,
        400,
        400,
        400,
        ...Array<number>(8).fill(401),
      ]);
      expect((await activities()).filter((kind) => kind === 6)).toHaveLength(5);
      const again = await half();
      const more = [];
      for (let at = 0; at < 4; at += 1) more.push(await verify(again, { code: String(200_000 + at) }));
      expect(more.map(statusOf)).toEqual([400, 400, 400, 400]);
      const third = await half();
      const last = [await verify(third, { code: '300000' }), await verify(third, { code: '300001' })];
      expect(last.map(statusOf)).toEqual([400, 429]);
    });

    test('a recovery code works once, however it is typed', async () => {
      const { recoveryCodes } = await enrolled();
      const [code = ''] = recoveryCodes;
      const whole = await verify(await half(), {
        recoveryCode: ` ${code.toLowerCase().replaceAll('-', ' ')} `,
      });
      expect(whole.status).toBe(200);
      expect((await security(sessionCookie(whole))).recoveryCodesLeft).toBe(9);
      expect(statusOf(await verify(await half(), { recoveryCode: code }))).toBe(400);
      const other = await makePerson(house().db, siteId, { passwordHash });
      const { cookie } = await enrol(house().app, other.cookie);
      expect(cookie).not.toBe('');
      const foreign = await givePassword(house().app, { email: other.email, password: PASSWORD });
      const tried = await verify(sessionCookie(foreign), { recoveryCode: recoveryCodes[1] ?? '' });
      expect(tried.status).toBe(400);
    });

    test('a sign-in waits a quarter of an hour for it; then it is one that lacked its verification', async () => {
      const { secret } = await enrolled();
      const cookie = await half();
      await sql`update session set expires_at = now() - interval '1 second' where user_id = ${person.userId} and pending is not null`.execute(
        house().db,
      );
      expect(statusOf(await verify(cookie, { code: await codeOf(secret) }))).toBe(401);
      await expireSessions(house().db);
      expect((await activities()).at(-1)).toBe(6);
    });

    test('whoever chose to have one is asked as well, and deactivation ends halves too', async () => {
      const chosen = await makePerson(house().db, siteId, { passwordHash });
      await enrol(house().app, chosen.cookie);
      const reply = await givePassword(house().app, { email: chosen.email, password: PASSWORD });
      expect([reply.status, reply.body.pending]).toEqual([202, 'two-factor']);
      const admin = browserWith(house().app, { steward: (await makePerson(house().db, siteId)).cookie });
      expect(statusOf(await admin.put('user', { id: chosen.userId, isActive: false }))).toBe(200);
      const { rows } = await sql`select 1 from session where user_id = ${chosen.userId}`.execute(house().db);
      expect(rows).toHaveLength(0);
    });

    test('a new password does not go past it', async () => {
      await enrolled();
      await browserWith(house().app).post('/api/session/password/request', { email: person.email });
      const { rows } = await sql<{
        text: string;
      }>`select body_text as text from mail where recipient = ${person.email}
        and body_text like '%#%' order by mail_id desc limit 1`.execute(house().db);
      const token = /#([\w-]+)/.exec(rows[0]?.text ?? '')?.[1];
      const password = 'another long password';
      expect(
        statusOf(await browserWith(house().app).post('/api/session/password', { token, password })),
      ).toBe(204);
      const reply = await givePassword(house().app, { email: person.email, password });
      expect([reply.status, reply.body.pending]).toEqual([202, 'two-factor']);
    });
  });

  test('another site that asks for it is not entered from a session that has not given it', async () => {
    const plain = await makePerson(house().db, siteId, { passwordHash });
    const other = await makeSite(house().db);
    await sql`insert into membership (site_id, user_id, license_type_id, two_factor_enabled)
      values (${other}, ${plain.userId}, 1, true)`.execute(house().db);
    const calls = browserWith(house().app, { steward: plain.cookie });
    expect(statusOf(await calls.put('/api/session/site', { siteId: other }))).toBe(403);
    const { cookie } = await enrol(house().app, plain.cookie);
    const switched = await browserWith(house().app, { steward: cookie }).put('/api/session/site', {
      siteId: other,
    });
    expect(switched.status).toBe(200);
  });
});
