import { beforeEach, expect, test } from 'vitest';
import type { Session } from '../../contract/generated/types.gen.ts';
import { hashSecret } from '../kernel/secret.ts';
import { callsWith, type Refusal, type Reply } from '../testing/calls.ts';
import { cheapHash } from '../testing/sign-in.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, openSession, type Person } from '../testing/site.ts';

const minutes = (count: number) => new Date(Date.now() + count * 60_000);
const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);
const statusOf = ({ status }: Reply<unknown>) => status;
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
  const activities = async () => {
    const rows = await house()
      .db.selectFrom('activity')
      .select('activity_type_id')
      .where('user_id', '=', person.userId)
      .orderBy('activity_id')
      .execute();
    return rows.map((row) => row.activity_type_id);
  };
  const sessionWith = async (values: object) => {
    await house()
      .db.updateTable('session')
      .set(values)
      .where('token_hash', '=', hashSecret(person.cookie))
      .execute();
    return (await withCookie(person.cookie).get('/api/session')).status;
  };
  const ask = (email: string) => visitor().post('/api/session/password/request', { email });

  test('end after 30 minutes of silence and at their end whatever happens', async () => {
    expect(await sessionWith({ last_seen_at: minutes(-29) })).toBe(200);
    expect(await sessionWith({ last_seen_at: minutes(-31) })).toBe(401);
    expect(await sessionWith({ last_seen_at: minutes(0) })).toBe(200);
    expect(await sessionWith({ expires_at: minutes(-0.01) })).toBe(401);
  });

  test('so long after a call that was not noted, as the session says, it is still there', async () => {
    const { body } = await withCookie(person.cookie).get<Session>('/api/session');
    const { idleSeconds = 0 } = body;
    expect(idleSeconds).toBeGreaterThan(28 * 60);
    expect(await sessionWith({ last_seen_at: minutes(-59 / 60) })).toBe(200);
    const { last_seen_at: noted } = await house()
      .db.selectFrom('session')
      .select('last_seen_at')
      .where('token_hash', '=', hashSecret(person.cookie))
      .executeTakeFirstOrThrow();
    const later = new Date(noted.getTime() - idleSeconds * 1000);
    expect(await sessionWith({ last_seen_at: later })).toBe(200);
  });

  test('use keeps them awake', async () => {
    await sessionWith({ last_seen_at: new Date(Date.now() - 29 * 60_000) });
    const row = await house()
      .db.selectFrom('session')
      .select('last_seen_at')
      .where('token_hash', '=', hashSecret(person.cookie))
      .executeTakeFirstOrThrow();
    expect(Date.now() - row.last_seen_at.getTime()).toBeLessThan(10_000);
  });

  test('ten at once: a new one ends what was used longest ago on any site, and says so', async () => {
    const { db } = house();
    const other = await makeSite(db);
    await joinSite(db, other, person.userId);
    const stranger = await makePerson(db, siteId);
    const cookies = [person.cookie];
    for (const site of Array.from({ length: 11 }, (_, index) => (index % 2 ? other : siteId)))
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      cookies.push(await openSession(db, site, person.userId));
    const used = async (cookie: string, ago: number) =>
      db
        .updateTable('session')
        .set({ last_seen_at: minutes(-ago) })
        .where('token_hash', '=', hashSecret(cookie))
        .execute();
    await Promise.all(cookies.map((cookie, at) => used(cookie, at)));
    const came = await signIn({ siteId });
    expect([came.status, came.body.endedSessions]).toEqual([200, 3]);
    const open = async () =>
      Promise.all(cookies.map(async (cookie) => (await withCookie(cookie).get('/api/session')).status));
    expect(await open()).toEqual([...Array<number>(9).fill(200), 401, 401, 401]);
    expect((await withCookie(tokenOf(came)).get<Session>('/api/session')).body.endedSessions).toBeUndefined();
    expect((await withCookie(stranger.cookie).get('/api/session')).status).toBe(200);
    expect(await activities()).toEqual([4, 4, 4, 1]);

    const more = await Promise.all(Array.from({ length: 4 }, () => signIn({ siteId })));
    expect(more.map(statusOf)).toEqual([200, 200, 200, 200]);
    const left = db.selectFrom('session').select('user_id').where('user_id', '=', person.userId).execute();
    expect(await left).toHaveLength(10);
  });

  test('sign-out ends this one alone, and removes the cookie', async () => {
    const [one, two] = [tokenOf(await signIn()), tokenOf(await signIn())];
    expect(one).not.toBe(two);
    const out = await withCookie(one).del('/api/session');
    expect(out.status).toBe(204);
    expect(cookieOf(out)).toMatch(/^steward=; .*Expires=Thu, 01 Jan 1970/);
    expect(out.headers['clear-site-data']).toBe('"cache"');
    expect(
      [await withCookie(one).get('/api/session'), await withCookie(two).get('/api/session')].map(statusOf),
    ).toEqual([401, 200]);
    expect(await activities()).toEqual([1, 1, 3]);
  });

  test('a new password ends them all', async () => {
    await visitor().post('/api/session/password/request', { email: person.email });
    const mail = await house()
      .db.selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', person.email)
      .executeTakeFirst();
    const token = /#([\w-]+)/.exec(mail?.body_text ?? '')?.[1];
    expect(
      (await visitor().post('/api/session/password', { token, password: 'another long password' })).status,
    ).toBe(204);
    expect((await withCookie(person.cookie).get('/api/session')).status).toBe(401);
    expect([await signIn(), await signIn({ password: 'another long password' })].map(statusOf)).toEqual([
      401, 200,
    ]);
  });

  test('asking for a password link answers alike for everybody, and mails a few an hour to the owner alone', async () => {
    const replies = [
      await ask(person.email),
      await ask('nobody@nowhere.test'),
      await ask(person.email),
      await ask(person.email),
      await ask(person.email),
    ];
    expect(replies.map(({ status, text }) => [status, text])).toEqual(replies.map(() => [202, '']));
    const mails = await house()
      .db.selectFrom('mail')
      .select('recipient')
      .where('created_at', '>', new Date(Date.now() - 60_000))
      .where('recipient', 'in', [person.email, 'nobody@nowhere.test'])
      .execute();
    expect(mails).toEqual([1, 2, 3].map(() => ({ recipient: person.email })));
  });

  test('of one site, switched to another with a new secret; a site that is not open is 403', async () => {
    const other = await makeSite(house().db);
    const put = (site: number, cookie: string) =>
      withCookie(cookie).put<Session>('/api/session/site', { siteId: site });
    expect((await put(other, person.cookie)).status).toBe(403);
    await joinSite(house().db, other, person.userId);
    const switched = await put(other, person.cookie);
    expect(switched.body).toMatchObject({ site: { id: other }, capabilities: [] });
    expect(switched.body.sites.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([siteId, other]);
    expect((await withCookie(person.cookie).get('/api/session')).status).toBe(401);
    expect((await withCookie(tokenOf(switched)).get('user')).status).toBe(403);
    expect((await signIn({ siteId })).body.site.id).toBe(siteId);
    await house()
      .db.updateTable('membership')
      .set({ is_active: false })
      .where('site_id', '=', other)
      .execute();
    expect((await withCookie(tokenOf(switched)).get('/api/session')).status).toBe(401);
    expect((await signIn({ siteId: other })).status).toBe(403);
  });

  test('switching goes on with the time that is left: nobody stays for ever without a password', async () => {
    const other = await makeSite(house().db);
    await joinSite(house().db, other, person.userId);
    const before = await withCookie(person.cookie).get<Session>('/api/session');
    const switched = await withCookie(person.cookie).put<Session>('/api/session/site', { siteId: other });
    expect(switched.body.expiresDate).toBe(before.body.expiresDate);
  });

  test('capabilities are those of this moment: what is taken from a group is gone at once', async () => {
    const calls = withCookie(person.cookie);
    expect((await calls.get('user')).status).toBe(200);
    await house()
      .db.updateTable('user_group')
      .set({ capabilities: [] })
      .where('group_id', '=', person.groupId)
      .execute();
    expect((await calls.get('user')).status).toBe(403);
  });
});
