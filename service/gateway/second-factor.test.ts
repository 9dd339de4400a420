import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OwnSecurity, Session } from '../../contract/generated/types.gen.ts';
import { deleteExpiredSessions } from '../kernel/audit/activity.store.ts';
import { generateCode } from '../testing/authenticator.ts';
import type { ErrorBody, Reply } from '../testing/calls.ts';
import {
  createBrowser,
  hashCheaply,
  enrol,
  signInWithPassword,
  getSessionCookie,
} from '../testing/sign-in.ts';
import { makePerson, makeSite, onEachApp, createTestApp, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);
const toHex = (text: string) => Buffer.from(text).toString('hex');
const getStatus = ({ status }: Reply<unknown>) => status;

onEachApp((context) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId, { passwordHash });
    await context()
      .db.updateTable('membership')
      .set({ two_factor_enabled: true })
      .where('user_id', '=', person.userId)
      .execute();
  });

  const signIn = () => signInWithPassword(context().app, { email: person.email, password: PASSWORD });
  const startSignIn = async () => getSessionCookie(await signIn());
  const verify = (cookie: string, proof: object, app = context().app) =>
    createBrowser(app, { steward: cookie }).post<Session & ErrorBody>('/api/session/two-factor', proof);
  const loadSecurity = async (cookie: string) =>
    (await createBrowser(context().app, { steward: cookie }).get<OwnSecurity>('/api/session/security')).body;
  const listActivities = async () => {
    const { rows } = await sql<{ kind: number }>`select activity_type_id as kind from activity
      where user_id = ${person.userId} order by activity_id`.execute(context().db);
    return rows.map(({ kind }) => kind);
  };
  /** Enrols a user whose current codes are unused: the step of the confirmation lies in the past. */
  const enrolUser = async () => {
    const enrolment = await enrol(context().app, await startSignIn());
    await context().db.updateTable('authenticator').set({ last_step: 1 }).execute();
    return enrolment;
  };

  describe('enrolment', () => {
    test('is required at the next sign-in and completes it with a code, under a new token', async () => {
      const reply = await signIn();
      expect([reply.status, reply.body.pending, reply.body.methods]).toEqual([202, 'enrolment', []]);
      expect(reply.text).not.toContain(person.email);
      const cookie = getSessionCookie(reply);
      expect(getStatus(await createBrowser(context().app, { steward: cookie }).get('/api/session'))).toBe(
        401,
      );
      const wrong = await createBrowser(context().app, { steward: cookie }).put<ErrorBody>(
        '/api/session/two-factor/enrolment',
        { code: '000000' },
      );
      expect(wrong.status).toBe(409);
      const enrolment = await enrol(context().app, cookie);
      expect(enrolment.reply.status).toBe(200);
      expect(enrolment.cookie).not.toBe(cookie);
      expect(enrolment.recoveryCodes).toHaveLength(10);
      expect(new Set(enrolment.recoveryCodes).size).toBe(10);
      expect(getStatus(await createBrowser(context().app, { steward: cookie }).get('/api/session'))).toBe(
        401,
      );
      expect(
        getStatus(await createBrowser(context().app, { steward: enrolment.cookie }).get('/api/session')),
      ).toBe(200);
      expect(await loadSecurity(enrolment.cookie)).toMatchObject({
        twoFactorRequired: true,
        recoveryCodesLeft: 10,
        proofs: ['code', 'recovery-code'],
      });
      expect(await listActivities()).toEqual([1]);
    });

    test('never stores or returns the seed or the codes in plain text', async () => {
      const { secret, recoveryCodes, cookie } = await enrolUser();
      const { rows } = await sql<{ all: string }>`
        select (select string_agg(a::text, ' ') from authenticator a) || (select string_agg(r::text, ' ') from recovery_code r)
          || (select string_agg(l.changes::text, ' ') from audit_log l where l.site_id = ${siteId}) as all`.execute(
        context().db,
      );
      for (const secretText of [secret, recoveryCodes[0] ?? ''])
        for (const form of [secretText, toHex(secretText), secretText.replaceAll('-', '')])
          expect(rows[0]?.all.includes(form)).toBe(false);
      expect(JSON.stringify(await loadSecurity(cookie))).not.toContain(secret);
    });

    test('is visible in users with a new ETag', async () => {
      const admin = createBrowser(context().app, {
        steward: (await makePerson(context().db, siteId)).cookie,
      });
      const before = await admin.get<object>(`user/${person.userId}`);
      expect(before.body).toMatchObject({ twoFactorEnabled: true, secondFactorSetUp: false });
      await enrolUser();
      const after = await admin.get<object>(`user/${person.userId}`);
      expect(after.body).toMatchObject({ secondFactorSetUp: true });
      expect(after.headers['etag']).not.toBe(before.headers['etag']);
    });

    test('ends the sign-in after five wrong codes', async () => {
      const cookie = await startSignIn();
      const calls = createBrowser(context().app, { steward: cookie });
      await calls.post('/api/session/two-factor/enrolment');
      const replies: number[] = [];
      for (let at = 0; at < 6; at += 1)
        replies.push(
          getStatus(await calls.put('/api/session/two-factor/enrolment', { code: '12345' + String(at) })),
        );
      expect(replies).toEqual([400, 400, 400, 400, 401, 401]);
      expect(await listActivities()).toEqual([6, 6, 6, 6, 6]);
    });
  });

  describe('verification', () => {
    test('accepts a code once, and opens nothing with the password alone', async () => {
      const { secret } = await enrolUser();
      const reply = await signIn();
      expect([reply.status, reply.body.pending, reply.body.methods]).toEqual([
        202,
        'two-factor',
        ['code', 'recovery-code'],
      ]);
      const code = await generateCode(secret);
      const cookie = getSessionCookie(reply);
      const completed = await verify(cookie, { code });
      expect([completed.status, completed.body.user.id]).toEqual([200, person.userId]);
      expect(getSessionCookie(completed)).not.toBe(cookie);
      expect(getStatus(await verify(cookie, { code }))).toBe(401);
      expect(getStatus(await verify(await startSignIn(), { code }))).toBe(400);
      expect(getStatus(await verify(await startSignIn(), { code: await generateCode(secret, -30) }))).toBe(
        400,
      );
    });

    test('accepts one of fifty concurrent requests with the same code on two processes (T14)', async () => {
      const { secret } = await enrolUser();
      await sql`delete from throttle`.execute(context().db);
      const other = await createTestApp(context().database);
      const code = await generateCode(secret);
      // Several sign-ins, so that the limit of five attempts does not apply first.
      const cookies: string[] = [];
      for (let at = 0; at < 10; at += 1) cookies.push(await startSignIn());
      await sql`update session set tries = -50 where user_id = ${person.userId}`.execute(context().db);
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          verify(cookies[at % 10] ?? '', { code }, at % 2 ? other : context().app),
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
    ])('rejects %j as a code without counting an attempt', async (code) => {
      await enrolUser();
      expect(getStatus(await verify(await startSignIn(), { code }))).toBe(400);
      expect(await listActivities()).not.toContain(6);
    });

    test('rejects a right code with spaces or other digits, and keeps it valid', async () => {
      const { secret } = await enrolUser();
      const code = await generateCode(secret);
      const cookie = await startSignIn();
      const wide = Array.from(code, (digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
      for (const form of [` ${code}`, `${code.slice(0, 3)} ${code.slice(3)}`, wide])
        expect(getStatus(await verify(cookie, { code: form }))).toBe(400);
      expect(getStatus(await verify(cookie, { code }))).toBe(200);
    });

    test('rejects codes of steps before the last used one', async () => {
      const { secret } = await enrolUser();
      expect(getStatus(await verify(await startSignIn(), { code: await generateCode(secret) }))).toBe(200);
      const { rows } = await sql<{ step: number }>`select last_step as step from authenticator
        where user_id = ${person.userId}`.execute(context().db);
      expect(rows[0]?.step).toBeGreaterThan(50_000_000);
      await sql`update authenticator set last_step = last_step + 1 where user_id = ${person.userId}`.execute(
        context().db,
      );
      expect(getStatus(await verify(await startSignIn(), { code: await generateCode(secret) }))).toBe(400);
    });

    test('ends the sign-in after five wrong codes, also concurrent ones, and allows ten in 15 minutes', async () => {
      await enrolUser();
      const cookie = await startSignIn();
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, at) => verify(cookie, { code: String(100_000 + at) })),
      );
      expect(replies.map(getStatus).toSorted((a, b) => a - b)).toEqual([
        400,
        400,
        400,
        400,
        ...Array<number>(8).fill(401),
      ]);
      expect((await listActivities()).filter((kind) => kind === 6)).toHaveLength(5);
      const again = await startSignIn();
      const more = [];
      for (let at = 0; at < 4; at += 1) more.push(await verify(again, { code: String(200_000 + at) }));
      expect(more.map(getStatus)).toEqual([400, 400, 400, 400]);
      const third = await startSignIn();
      const last = [await verify(third, { code: '300000' }), await verify(third, { code: '300001' })];
      expect(last.map(getStatus)).toEqual([400, 429]);
    });

    test('accepts a recovery code once, with any spacing and case', async () => {
      const { recoveryCodes } = await enrolUser();
      const [code = ''] = recoveryCodes;
      const completed = await verify(await startSignIn(), {
        recoveryCode: ` ${code.toLowerCase().replaceAll('-', ' ')} `,
      });
      expect(completed.status).toBe(200);
      expect((await loadSecurity(getSessionCookie(completed))).recoveryCodesLeft).toBe(9);
      expect(getStatus(await verify(await startSignIn(), { recoveryCode: code }))).toBe(400);
      const other = await makePerson(context().db, siteId, { passwordHash });
      const { cookie } = await enrol(context().app, other.cookie);
      expect(cookie).not.toBe('');
      const foreign = await signInWithPassword(context().app, { email: other.email, password: PASSWORD });
      const tried = await verify(getSessionCookie(foreign), { recoveryCode: recoveryCodes[1] ?? '' });
      expect(tried.status).toBe(400);
    });

    test('has ten recovery codes, however many requests replace them at once', async () => {
      const { cookie } = await enrolUser();
      const browser = createBrowser(context().app, { steward: cookie });
      const replace = () => browser.post('/api/session/security/recovery-codes');
      const replies = await Promise.all(Array.from({ length: 4 }, replace));
      expect(replies.map(getStatus)).toEqual([200, 200, 200, 200]);
      expect((await loadSecurity(cookie)).recoveryCodesLeft).toBe(10);
    });

    test('expires after 15 minutes, which is logged as unverified', async () => {
      const { secret } = await enrolUser();
      const cookie = await startSignIn();
      await sql`update session set expires_at = now() - interval '1 second' where user_id = ${person.userId} and pending is not null`.execute(
        context().db,
      );
      expect(getStatus(await verify(cookie, { code: await generateCode(secret) }))).toBe(401);
      await deleteExpiredSessions(context().db);
      expect((await listActivities()).at(-1)).toBe(6);
    });

    test('is also required of users who enrolled voluntarily, and deactivation ends pending sessions', async () => {
      const chosen = await makePerson(context().db, siteId, { passwordHash });
      await enrol(context().app, chosen.cookie);
      const reply = await signInWithPassword(context().app, { email: chosen.email, password: PASSWORD });
      expect([reply.status, reply.body.pending]).toEqual([202, 'two-factor']);
      const admin = createBrowser(context().app, {
        steward: (await makePerson(context().db, siteId)).cookie,
      });
      expect(getStatus(await admin.put('user', { id: chosen.userId, isActive: false }))).toBe(200);
      const { rows } = await sql`select 1 from session where user_id = ${chosen.userId}`.execute(
        context().db,
      );
      expect(rows).toHaveLength(0);
    });

    test('is still required after a password reset', async () => {
      await enrolUser();
      await createBrowser(context().app).post('/api/session/password/request', { email: person.email });
      const { rows } = await sql<{
        text: string;
      }>`select body_text as text from mail where recipient = ${person.email}
        and body_text like '%#%' order by mail_id desc limit 1`.execute(context().db);
      const token = /#([\w-]+)/.exec(rows[0]?.text ?? '')?.[1];
      const password = 'another long password';
      expect(
        getStatus(await createBrowser(context().app).post('/api/session/password', { token, password })),
      ).toBe(204);
      const reply = await signInWithPassword(context().app, { email: person.email, password });
      expect([reply.status, reply.body.pending]).toEqual([202, 'two-factor']);
    });
  });

  test('a site that requires a second factor cannot be entered from a session without one', async () => {
    const plain = await makePerson(context().db, siteId, { passwordHash });
    const other = await makeSite(context().db);
    await sql`insert into membership (site_id, user_id, license_type_id, two_factor_enabled)
      values (${other}, ${plain.userId}, 1, true)`.execute(context().db);
    const calls = createBrowser(context().app, { steward: plain.cookie });
    expect(getStatus(await calls.put('/api/session/site', { siteId: other }))).toBe(403);
    const { cookie } = await enrol(context().app, plain.cookie);
    const switched = await createBrowser(context().app, { steward: cookie }).put('/api/session/site', {
      siteId: other,
    });
    expect(switched.status).toBe(200);
  });
});
