import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../contract/generated/types.gen.ts';
import { callsWith, type Refusal, type Reply } from '../testing/calls.ts';
import { cheapHash } from '../testing/sign-in.ts';
import { as, makePerson, makeSite, onEachApp, openApp, type Person, services } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);
const cookieOf = ({ headers }: Reply<unknown>) => [headers['set-cookie']].flat().map(String)[0] ?? '';
const tokenOf = (reply: Reply<unknown>) => /steward=([\w-]+)/.exec(cookieOf(reply))?.[1] ?? '';

onEachApp((house) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    person = await makePerson(house().db, siteId, { passwordHash });
  });

  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });
  const signIn = (more: object = {}) =>
    visitor().post<Session & Refusal>('/api/session', { email: person.email, password: PASSWORD, ...more });
  const withCookie = (cookie: string) => as(house().app, { token: '', cookie }, 'console');
  const account = (values: object) =>
    house().db.updateTable('account').set(values).where('user_id', '=', person.userId).execute();
  const activities = async () => {
    const rows = await house()
      .db.selectFrom('activity')
      .select('activity_type_id')
      .where('user_id', '=', person.userId)
      .orderBy('activity_id')
      .execute();
    return rows.map((row) => row.activity_type_id);
  };
  /** Wrong sign-ins one after the other. */
  const fail = async (times: number) => {
    const replies: Reply<Refusal>[] = [];
    for (let at = 0; at < times; at += 1) replies.push(await signIn({ password: 'wrong' }));
    return replies;
  };
  const lockedSeconds = async () => {
    const row = await house()
      .db.selectFrom('account')
      .select('locked_until')
      .where('user_id', '=', person.userId)
      .executeTakeFirstOrThrow();
    return row.locked_until ? (row.locked_until.getTime() - Date.now()) / 1000 : 0;
  };

  describe('sign-in', () => {
    test('answers the session and sets the cookie with all its guards; the secret stands in the cookie alone (T01)', async () => {
      const reply = await signIn({ email: person.email.toUpperCase() });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        user: { id: person.userId, email: person.email },
        site: { id: siteId },
        sites: [{ id: siteId }],
      });
      expect(reply.body.capabilities).toContain('Manage Users');
      const cookie = cookieOf(reply);
      expect(cookie).toMatch(/^steward=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
      expect(reply.text).not.toContain(tokenOf(reply));
      const hours = (Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '') - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(11.9);
      expect(hours).toBeLessThan(12.1);
      const stored = await house()
        .db.selectFrom('session')
        .selectAll()
        .where('user_id', '=', person.userId)
        .execute();
      expect(JSON.stringify(stored)).not.toContain(tokenOf(reply));
      expect((await withCookie(tokenOf(reply)).get('user')).status).toBe(200);
    });

    test('on https the cookie belongs to this host alone', async () => {
      const app = await openApp(house().database, {
        services: { ...services, publicUrl: 'https://steward.test' },
      });
      const reply = await callsWith(app, '/console', { 'x-steward-console': '1' }).post('/api/session', {
        email: person.email,
        password: PASSWORD,
      });
      expect(cookieOf(reply)).toMatch(
        /^__Host-steward=[\w-]{43}; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
      );
      expect(reply.headers['strict-transport-security']).toContain('max-age=31536000');
      await app.close();
    });

    test('the same refusal for a wrong password, an unknown address, no password set and a resting account (T12)', async () => {
      const wrong = await signIn({ password: 'wrong' });
      const unknown = await signIn({ email: 'nobody@nowhere.test' });
      const unset = await makePerson(house().db, siteId, { passwordHash: null });
      const noPassword = await signIn({ email: unset.email });
      await account({ locked_until: new Date(Date.now() + 60_000) });
      const resting = await signIn();
      for (const { status, body, headers } of [wrong, unknown, noPassword, resting]) {
        expect([status, body.message]).toEqual([401, wrong.body.message]);
        expect(headers['set-cookie']).toBeUndefined();
      }
    });

    test('five wrong ones rest the account, then longer each time; the right password lets in afterwards', async () => {
      await fail(4);
      expect(await lockedSeconds()).toBe(0);
      await fail(1);
      const first = await lockedSeconds();
      expect(first).toBeGreaterThan(29);
      expect((await signIn()).status).toBe(401);
      await account({ locked_until: new Date(Date.now() - 1) });
      await fail(1);
      expect(await lockedSeconds()).toBeGreaterThan(first * 1.5);
      await account({ failed_count: 40, locked_until: new Date(Date.now() - 1) });
      await fail(1);
      expect(await lockedSeconds()).toBeLessThanOrEqual(901);
      const admin = as(house().app, await makePerson(house().db, siteId));
      expect((await admin.get(`user/${person.userId}`)).body).toMatchObject({ isLocked: true });
      await account({ locked_until: new Date(Date.now() - 1) });
      expect((await signIn()).status).toBe(200);
      expect((await admin.get(`user/${person.userId}`)).body).toMatchObject({ isLocked: false });
      expect(await activities()).toEqual([2, 2, 2, 2, 2, 5, 2, 2, 1]);
    });

    test('a stranger who guesses elsewhere does not shut the owner out of a known address (T13)', async () => {
      expect((await signIn()).status).toBe(200);
      await account({ failed_count: 9, locked_until: new Date(Date.now() + 600_000) });
      expect((await signIn()).status).toBe(200);
      await house()
        .db.updateTable('activity')
        .set({ ip_address: '203.0.113.9' })
        .where('user_id', '=', person.userId)
        .execute();
      await account({ failed_count: 9, locked_until: new Date(Date.now() + 600_000) });
      expect((await signIn()).status).toBe(401);
    });

    test('after an hour of quiet the count begins anew', async () => {
      await account({ failed_count: 12, locked_until: new Date(Date.now() - 3_700_000) });
      await fail(1);
      expect(await lockedSeconds()).toBe(0);
    });

    test('thirty tries in a quarter of an hour for one e-mail address, known or not, then 429', async () => {
      for (const email of [person.email, 'nobody@nowhere.test']) {
        const replies = await Promise.all(
          Array.from({ length: 3 }, () => signIn({ email, password: 'wrong' })),
        );
        expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
        await house()
          .db.updateTable('throttle')
          .set({ count: 30 })
          .where('key', 'like', 'password:%')
          .execute();
        expect((await signIn({ email, password: 'wrong' })).status).toBe(429);
        await house().db.deleteFrom('throttle').where('key', 'like', 'password:%').execute();
      }
    });

    test('a new sign-in ends the session that the browser had (T01)', async () => {
      const first = tokenOf(await signIn());
      const again = await withCookie(first).post<Session>('/api/session', {
        email: person.email,
        password: PASSWORD,
      });
      expect(again.status).toBe(200);
      expect((await withCookie(first).get('/api/session')).status).toBe(401);
      expect((await withCookie(tokenOf(again)).get('/api/session')).status).toBe(200);
    });

    test('twenty wrong ones at the same time are all counted', async () => {
      await Promise.all(Array.from({ length: 20 }, () => signIn({ password: 'wrong' })));
      const row = await house()
        .db.selectFrom('account')
        .select('failed_count')
        .where('user_id', '=', person.userId)
        .executeTakeFirst();
      expect(row?.failed_count).toBeGreaterThanOrEqual(5);
      expect((await signIn()).status).toBe(401);
    });

    test.each([{ is_active: false }, { license_type_id: 4 }, { expires_at: new Date(0) }])(
      '403 with the right password and no open site: %j',
      async (values) => {
        await house().db.updateTable('membership').set(values).where('user_id', '=', person.userId).execute();
        expect((await signIn()).status).toBe(403);
        expect((await signIn({ password: 'wrong' })).status).toBe(401);
        expect(await activities()).toEqual([7, 2]);
      },
    );

    test('403 with a password on a site that has an identity manager', async () => {
      const federated = await makePerson(house().db, await makeSite(house().db, 'identity-manager'), {
        passwordHash,
      });
      const { status, body } = await signIn({ email: federated.email });
      expect(status).toBe(403);
      expect(body.message).toContain('identity manager');
    });

    test('the address is not a list, the password not an object (CVE-2023-7028)', async () => {
      expect((await signIn({ email: [person.email, 'x@evil.test'] })).status).toBe(400);
      expect((await signIn({ password: { $ne: '' } })).status).toBe(400);
      expect(
        (await visitor().post('/api/session/password/request', { email: [person.email, 'x@evil.test'] }))
          .status,
      ).toBe(400);
    });

    test('at most 300 in five minutes from one address: 429', async () => {
      const remoteAddress = '192.0.2.77';
      await house()
        .db.insertInto('throttle')
        .values({ key: `sign-in:${remoteAddress}`, count: 300, window_started_at: new Date() })
        .execute();
      const { status, headers } = await visitor().post(
        '/api/session',
        { email: person.email, password: PASSWORD },
        { remoteAddress },
      );
      expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
      expect((await signIn()).status).toBe(200);
      await house().db.deleteFrom('throttle').where('key', '=', `sign-in:${remoteAddress}`).execute();
    });
  });
});
