import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../contract/generated/types.gen.ts';
import { createApiClient, type ErrorBody, type Reply } from '../testing/calls.ts';
import { getSessionCookie, hashCheaply, listActivityTypes, signInWithPassword } from '../testing/sign-in.ts';
import {
  as,
  makePerson,
  makeSite,
  onEachApp,
  createTestApp,
  type Person,
  services,
} from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);
const getCookie = ({ headers }: Reply<unknown>) => [headers['set-cookie']].flat().map(String)[0] ?? '';

onEachApp((context) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId, { passwordHash });
  });

  const callConsole = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });
  const signIn = (more: object = {}) =>
    signInWithPassword(context().app, { email: person.email, password: PASSWORD, ...more });
  const callWithCookie = (cookie: string) => as(context().app, { token: '', cookie }, 'console');
  const updateAccount = (values: object) =>
    context().db.updateTable('account').set(values).where('user_id', '=', person.userId).execute();
  /** Sequential sign-ins with a wrong password. */
  const signInWrongly = async (times: number) => {
    const replies: Reply<ErrorBody>[] = [];
    for (let at = 0; at < times; at += 1) replies.push(await signIn({ password: 'wrong' }));
    return replies;
  };
  const getLockedSeconds = async () => {
    const row = await context()
      .db.selectFrom('account')
      .select('locked_until')
      .where('user_id', '=', person.userId)
      .executeTakeFirstOrThrow();
    return row.locked_until ? (row.locked_until.getTime() - Date.now()) / 1000 : 0;
  };

  describe('sign-in', () => {
    test('returns the session and sets a protected cookie; the token is in the cookie only (T01)', async () => {
      const reply = await signIn({ email: person.email.toUpperCase() });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        user: { id: person.userId, email: person.email },
        site: { id: siteId },
        sites: [{ id: siteId }],
      });
      expect(reply.body.capabilities).toContain('Manage Users');
      const cookie = getCookie(reply);
      expect(cookie).toMatch(/^steward=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
      expect(reply.text).not.toContain(getSessionCookie(reply));
      const hours = (Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '') - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(11.9);
      expect(hours).toBeLessThan(12.1);
      const stored = await context()
        .db.selectFrom('session')
        .selectAll()
        .where('user_id', '=', person.userId)
        .execute();
      expect(JSON.stringify(stored)).not.toContain(getSessionCookie(reply));
      expect((await callWithCookie(getSessionCookie(reply)).get('user')).status).toBe(200);
    });

    test('uses a __Host- cookie over https', async () => {
      const app = await createTestApp(context().database, {
        services: { ...services, publicUrl: 'https://steward.test' },
      });
      const reply = await createApiClient(app, '/console', { 'x-steward-console': '1' }).post(
        '/api/session',
        {
          email: person.email,
          password: PASSWORD,
        },
      );
      expect(getCookie(reply)).toMatch(
        /^__Host-steward=[\w-]{43}; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
      );
      expect(reply.headers['strict-transport-security']).toContain('max-age=31536000');
      await app.close();
    });

    test('returns the same error for a wrong password, an unknown e-mail, no password and a locked account (T12)', async () => {
      const wrong = await signIn({ password: 'wrong' });
      const unknown = await signIn({ email: 'nobody@nowhere.test' });
      const unset = await makePerson(context().db, siteId, { passwordHash: null });
      const noPassword = await signIn({ email: unset.email });
      await updateAccount({ locked_until: new Date(Date.now() + 60_000) });
      const resting = await signIn();
      for (const { status, body, headers } of [wrong, unknown, noPassword, resting]) {
        expect([status, body.message]).toEqual([401, wrong.body.message]);
        expect(headers['set-cookie']).toBeUndefined();
      }
    });

    test('locks the account after five wrong passwords, longer each time, and accepts the right one afterwards', async () => {
      await signInWrongly(4);
      expect(await getLockedSeconds()).toBe(0);
      await signInWrongly(1);
      const first = await getLockedSeconds();
      expect(first).toBeGreaterThan(29);
      expect((await signIn()).status).toBe(401);
      await updateAccount({ locked_until: new Date(Date.now() - 1) });
      await signInWrongly(1);
      expect(await getLockedSeconds()).toBeGreaterThan(first * 1.5);
      await updateAccount({ failed_count: 40, locked_until: new Date(Date.now() - 1) });
      await signInWrongly(1);
      expect(await getLockedSeconds()).toBeLessThanOrEqual(901);
      const admin = as(context().app, await makePerson(context().db, siteId));
      expect((await admin.get(`user/${person.userId}`)).body).toMatchObject({ isLocked: true });
      await updateAccount({ locked_until: new Date(Date.now() - 1) });
      expect((await signIn()).status).toBe(200);
      expect((await admin.get(`user/${person.userId}`)).body).toMatchObject({ isLocked: false });
      expect(await listActivityTypes(context().db, person.userId)).toEqual([2, 2, 2, 2, 2, 5, 2, 2, 1]);
    });

    test('guessing elsewhere does not lock the owner out of a known address (T13)', async () => {
      expect((await signIn()).status).toBe(200);
      await updateAccount({ failed_count: 9, locked_until: new Date(Date.now() + 600_000) });
      expect((await signIn()).status).toBe(200);
      await context()
        .db.updateTable('activity')
        .set({ ip_address: '203.0.113.9' })
        .where('user_id', '=', person.userId)
        .execute();
      await updateAccount({ failed_count: 9, locked_until: new Date(Date.now() + 600_000) });
      expect((await signIn()).status).toBe(401);
    });

    test('resets the failure count after an hour without failures', async () => {
      await updateAccount({ failed_count: 12, locked_until: new Date(Date.now() - 3_700_000) });
      await signInWrongly(1);
      expect(await getLockedSeconds()).toBe(0);
    });

    test('limits attempts to 30 in 15 minutes per e-mail address, known or not', async () => {
      for (const email of [person.email, 'nobody@nowhere.test']) {
        const replies = await Promise.all(
          Array.from({ length: 3 }, () => signIn({ email, password: 'wrong' })),
        );
        expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
        await context()
          .db.updateTable('throttle')
          .set({ count: 30 })
          .where('key', 'like', 'password:%')
          .execute();
        expect((await signIn({ email, password: 'wrong' })).status).toBe(429);
        await context().db.deleteFrom('throttle').where('key', 'like', 'password:%').execute();
      }
    });

    test('ends the previous session of the browser (T01)', async () => {
      const first = getSessionCookie(await signIn());
      const again = await callWithCookie(first).post<Session>('/api/session', {
        email: person.email,
        password: PASSWORD,
      });
      expect(again.status).toBe(200);
      expect((await callWithCookie(first).get('/api/session')).status).toBe(401);
      expect((await callWithCookie(getSessionCookie(again)).get('/api/session')).status).toBe(200);
    });

    test('counts all of twenty concurrent wrong passwords', async () => {
      await Promise.all(Array.from({ length: 20 }, () => signIn({ password: 'wrong' })));
      const row = await context()
        .db.selectFrom('account')
        .select('failed_count')
        .where('user_id', '=', person.userId)
        .executeTakeFirst();
      expect(row?.failed_count).toBeGreaterThanOrEqual(5);
      expect((await signIn()).status).toBe(401);
    });

    test.each([{ is_active: false }, { license_type_id: 4 }, { expires_at: new Date(0) }])(
      'is 403 with the right password but no accessible site: %j',
      async (values) => {
        await context()
          .db.updateTable('membership')
          .set(values)
          .where('user_id', '=', person.userId)
          .execute();
        expect((await signIn()).status).toBe(403);
        expect((await signIn({ password: 'wrong' })).status).toBe(401);
        expect(await listActivityTypes(context().db, person.userId)).toEqual([7, 2]);
      },
    );

    test('is 403 with a password on a site with an identity manager', async () => {
      const federated = await makePerson(context().db, await makeSite(context().db, 'identity-manager'), {
        passwordHash,
      });
      const { status, body } = await signIn({ email: federated.email });
      expect(status).toBe(403);
      expect(body.message).toContain('identity manager');
    });

    test('rejects a list of e-mail addresses and a password object (CVE-2023-7028)', async () => {
      expect((await signIn({ email: [person.email, 'x@evil.test'] })).status).toBe(400);
      expect((await signIn({ password: { $ne: '' } })).status).toBe(400);
      expect(
        (await callConsole().post('/api/session/password/request', { email: [person.email, 'x@evil.test'] }))
          .status,
      ).toBe(400);
    });

    test('limits sign-ins to 300 in five minutes per address', async () => {
      const remoteAddress = '192.0.2.77';
      await context()
        .db.insertInto('throttle')
        .values({ key: `sign-in:${remoteAddress}`, count: 300, window_started_at: new Date() })
        .execute();
      const { status, headers } = await callConsole().post(
        '/api/session',
        { email: person.email, password: PASSWORD },
        { remoteAddress },
      );
      expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
      expect((await signIn()).status).toBe(200);
      await context().db.deleteFrom('throttle').where('key', '=', `sign-in:${remoteAddress}`).execute();
    });
  });
});
