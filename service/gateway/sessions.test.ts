import { beforeEach, expect, test } from 'vitest';
import type { Session } from '../../contract/generated/types.gen.ts';
import { hashSecret } from '../kernel/secret.ts';
import { createApiClient, type Reply } from '../testing/calls.ts';
import { getSessionCookie, hashCheaply, listActivityTypes, signInWithPassword } from '../testing/sign-in.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, openSession, type Person } from '../testing/site.ts';

const minutesFromNow = (count: number) => new Date(Date.now() + count * 60_000);
const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);
const getStatus = ({ status }: Reply<unknown>) => status;
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
  const updateSessionAndCall = async (values: object) => {
    await context()
      .db.updateTable('session')
      .set(values)
      .where('token_hash', '=', hashSecret(person.cookie))
      .execute();
    return (await callWithCookie(person.cookie).get('/api/session')).status;
  };
  const requestPasswordLink = (email: string) =>
    callConsole().post('/api/session/password/request', { email });

  test('a session ends after 30 idle minutes and at its expiry', async () => {
    expect(await updateSessionAndCall({ last_seen_at: minutesFromNow(-29) })).toBe(200);
    expect(await updateSessionAndCall({ last_seen_at: minutesFromNow(-31) })).toBe(401);
    expect(await updateSessionAndCall({ last_seen_at: minutesFromNow(0) })).toBe(200);
    expect(await updateSessionAndCall({ expires_at: minutesFromNow(-0.01) })).toBe(401);
  });

  test('a session stays valid for the idle time that it announces', async () => {
    const { body } = await callWithCookie(person.cookie).get<Session>('/api/session');
    const { idleSeconds = 0 } = body;
    expect(idleSeconds).toBeGreaterThan(28 * 60);
    expect(await updateSessionAndCall({ last_seen_at: minutesFromNow(-59 / 60) })).toBe(200);
    const { last_seen_at: lastSeenAt } = await context()
      .db.selectFrom('session')
      .select('last_seen_at')
      .where('token_hash', '=', hashSecret(person.cookie))
      .executeTakeFirstOrThrow();
    const later = new Date(lastSeenAt.getTime() - idleSeconds * 1000);
    expect(await updateSessionAndCall({ last_seen_at: later })).toBe(200);
  });

  test('requests keep a session alive', async () => {
    await updateSessionAndCall({ last_seen_at: new Date(Date.now() - 29 * 60_000) });
    const row = await context()
      .db.selectFrom('session')
      .select('last_seen_at')
      .where('token_hash', '=', hashSecret(person.cookie))
      .executeTakeFirstOrThrow();
    expect(Date.now() - row.last_seen_at.getTime()).toBeLessThan(10_000);
  });

  test('a user has at most ten sessions: a new one ends the least recently used, and says so', async () => {
    const { db } = context();
    const other = await makeSite(db);
    await joinSite(db, other, person.userId);
    const stranger = await makePerson(db, siteId);
    const cookies = [person.cookie];
    for (const site of Array.from({ length: 11 }, (_, index) => (index % 2 ? other : siteId)))
      cookies.push(await openSession(db, site, person.userId));
    const setLastSeen = async (cookie: string, ago: number) =>
      db
        .updateTable('session')
        .set({ last_seen_at: minutesFromNow(-ago) })
        .where('token_hash', '=', hashSecret(cookie))
        .execute();
    await Promise.all(cookies.map((cookie, at) => setLastSeen(cookie, at)));
    const newest = await signIn({ siteId });
    expect([newest.status, newest.body.endedSessions]).toEqual([200, 3]);
    const listStatuses = async () =>
      Promise.all(cookies.map(async (cookie) => (await callWithCookie(cookie).get('/api/session')).status));
    expect(await listStatuses()).toEqual([...Array<number>(9).fill(200), 401, 401, 401]);
    expect(
      (await callWithCookie(getSessionCookie(newest)).get<Session>('/api/session')).body.endedSessions,
    ).toBeUndefined();
    expect((await callWithCookie(stranger.cookie).get('/api/session')).status).toBe(200);
    expect(await listActivityTypes(context().db, person.userId)).toEqual([4, 4, 4, 1]);

    const concurrent = await Promise.all(Array.from({ length: 4 }, () => signIn({ siteId })));
    expect(concurrent.map(getStatus)).toEqual([200, 200, 200, 200]);
    const left = db.selectFrom('session').select('user_id').where('user_id', '=', person.userId).execute();
    expect(await left).toHaveLength(10);
  });

  test('sign-out ends only this session and removes the cookie', async () => {
    const [one, two] = [getSessionCookie(await signIn()), getSessionCookie(await signIn())];
    expect(one).not.toBe(two);
    const signedOut = await callWithCookie(one).del('/api/session');
    expect(signedOut.status).toBe(204);
    expect(getCookie(signedOut)).toMatch(/^steward=; .*Expires=Thu, 01 Jan 1970/);
    expect(signedOut.headers['clear-site-data']).toBe('"cache"');
    expect(
      [await callWithCookie(one).get('/api/session'), await callWithCookie(two).get('/api/session')].map(
        getStatus,
      ),
    ).toEqual([401, 200]);
    expect(await listActivityTypes(context().db, person.userId)).toEqual([1, 1, 3]);
  });

  test('a new password ends all sessions', async () => {
    await callConsole().post('/api/session/password/request', { email: person.email });
    const mail = await context()
      .db.selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', person.email)
      .executeTakeFirst();
    const token = /#([\w-]+)/.exec(mail?.body_text ?? '')?.[1];
    expect(
      (await callConsole().post('/api/session/password', { token, password: 'another long password' }))
        .status,
    ).toBe(204);
    expect((await callWithCookie(person.cookie).get('/api/session')).status).toBe(401);
    expect([await signIn(), await signIn({ password: 'another long password' })].map(getStatus)).toEqual([
      401, 200,
    ]);
  });

  test('a password link request returns the same for everybody, and mails the owner at most three an hour', async () => {
    const replies = [
      await requestPasswordLink(person.email),
      await requestPasswordLink('nobody@nowhere.test'),
      await requestPasswordLink(person.email),
      await requestPasswordLink(person.email),
      await requestPasswordLink(person.email),
    ];
    expect(replies.map(({ status, text }) => [status, text])).toEqual(replies.map(() => [202, '']));
    const mails = await context()
      .db.selectFrom('mail')
      .select('recipient')
      .where('created_at', '>', new Date(Date.now() - 60_000))
      .where('recipient', 'in', [person.email, 'nobody@nowhere.test'])
      .execute();
    expect(mails).toEqual([1, 2, 3].map(() => ({ recipient: person.email })));
  });

  test('switching the site issues a new token; a site without access is 403', async () => {
    const other = await makeSite(context().db);
    const switchSite = (site: number, cookie: string) =>
      callWithCookie(cookie).put<Session>('/api/session/site', { siteId: site });
    expect((await switchSite(other, person.cookie)).status).toBe(403);
    await joinSite(context().db, other, person.userId);
    const switched = await switchSite(other, person.cookie);
    expect(switched.body).toMatchObject({ site: { id: other }, capabilities: [] });
    expect(switched.body.sites.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([siteId, other]);
    expect((await callWithCookie(person.cookie).get('/api/session')).status).toBe(401);
    expect((await callWithCookie(getSessionCookie(switched)).get('user')).status).toBe(403);
    expect((await signIn({ siteId })).body.site.id).toBe(siteId);
    await context()
      .db.updateTable('membership')
      .set({ is_active: false })
      .where('site_id', '=', other)
      .execute();
    expect((await callWithCookie(getSessionCookie(switched)).get('/api/session')).status).toBe(401);
    expect((await signIn({ siteId: other })).status).toBe(403);
  });

  test('switching the site keeps the expiry of the session', async () => {
    const other = await makeSite(context().db);
    await joinSite(context().db, other, person.userId);
    const before = await callWithCookie(person.cookie).get<Session>('/api/session');
    const switched = await callWithCookie(person.cookie).put<Session>('/api/session/site', { siteId: other });
    expect(switched.body.expiresDate).toBe(before.body.expiresDate);
  });

  test('capabilities removed from a group take effect at once', async () => {
    const calls = callWithCookie(person.cookie);
    expect((await calls.get('user')).status).toBe(200);
    await context()
      .db.updateTable('user_group')
      .set({ capabilities: [] })
      .where('group_id', '=', person.groupId)
      .execute();
    expect((await calls.get('user')).status).toBe(403);
  });
});
