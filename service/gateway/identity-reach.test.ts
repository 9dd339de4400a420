/** How far the word of an identity manager reaches: over its own site, and no further (ASVS 6.8.1, 6.8.4). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { IdentityStart, Session, SessionInfo } from '../../contract/generated/types.gen.ts';
import { grantPlatform } from '../areas/sites/index.ts';
import { callsWith, type Refusal } from '../testing/calls.ts';
import { startIdentityProvider, type IdentityProvider } from '../testing/identity-provider.ts';
import {
  as,
  joinSite,
  makePerson,
  makeRunnerElsewhere,
  makeSite,
  onEachApp,
  openSession,
  publicUrl,
  type Person,
} from '../testing/site.ts';

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider(`${publicUrl}/sign-in/identity`);
});
afterAll(() => provider.close());

const identityOf = (siteId: number) => `/api/platform/sites/${siteId}/identity`;

const verified = (who: Person) => ({ email: who.email, email_verified: true });

onEachApp((house) => {
  beforeAll(() => makeRunnerElsewhere(house().db));
  let runner: Person;
  /** Somebody whose account began on the site of the runner. */
  let person: Person;
  beforeEach(async () => {
    const { db } = house();
    const siteId = await makeSite(db);
    [runner, person] = [await makePerson(db, siteId), await makePerson(db, siteId)];
    await db.transaction().execute((tx) => grantPlatform(tx, runner.userId));
  });

  const setUp = (siteId: number, more: object = {}) =>
    as(house().app, runner, 'console').put<Refusal>(identityOf(siteId), {
      mode: 'identity-manager',
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      ...more,
    });
  /** Another site with an administrator of its own and an identity manager. */
  const managedSite = async () => {
    const { db } = house();
    const siteId = await makeSite(db);
    await makePerson(db, siteId);
    expect((await setUp(siteId)).status).toBe(200);
    return siteId;
  };

  const slugOf = async (siteId: number) => {
    const row = await house()
      .db.selectFrom('site')
      .select('slug')
      .where('site_id', '=', siteId)
      .executeTakeFirstOrThrow();
    return row.slug;
  };
  const door = (cookie?: string) =>
    callsWith(house().app, '/console', {
      'x-steward-console': '1',
      ...(cookie !== undefined && { cookie: `steward=${cookie}` }),
    });
  const begin = async (siteId: number, cookie?: string) =>
    (await door(cookie).post<IdentityStart>('/api/session/identity', { site: await slugOf(siteId) })).body;
  const come = async (siteId: number, claims: { sub: string } & Record<string, unknown>) => {
    provider.setPerson(claims);
    const { url, secret } = await begin(siteId);
    const query = await provider.visit(url);
    return door().post<Session & Refusal>('/api/session/identity/finish', { query, secret });
  };
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof come>>) =>
    /steward=([\w-]+)/.exec(String(headers['set-cookie']))?.[1] ?? '';

  const statusOf = async (cookie: string) => (await door(cookie).get('/api/session')).status;
  const key = (cookie: string) => door(cookie).post<Refusal>('/api/session/apikey', { scopes: ['data'] });

  test('a session that it opened goes on to no other site, changes no factor and runs no platform', async () => {
    const managed = await managedSite();
    await joinSite(house().db, managed, runner.userId);
    const came = await come(managed, { sub: crypto.randomUUID(), ...verified(runner) });
    expect([came.status, came.body.runsPlatform]).toEqual([200, false]);
    const federated = door(cookieOf(came));
    const refused = await Promise.all([
      federated.put('/api/session/site', { siteId: runner.siteId }),
      federated.post('/api/session/two-factor/enrolment'),
      federated.put('/api/session/two-factor/enrolment', { code: '123456' }),
      federated.post('/api/session/security/passkeys/options'),
      federated.post('/api/session/security/recovery-codes'),
      federated.get('/api/platform/sites'),
      federated.put(identityOf(runner.siteId), { mode: 'password' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
    // As long as it lasts, even where the site itself goes back to passwords.
    expect((await setUp(managed, { mode: 'password', issuer: null, clientId: null })).status).toBe(200);
    expect((await federated.put('/api/session/site', { siteId: runner.siteId })).status).toBe(403);
    const own = as(house().app, runner, 'console');
    expect((await own.get<Session>('/api/session')).body.runsPlatform).toBe(true);
  });

  test('of two sites that get a manager at once, the second sees the first', async () => {
    const { db } = house();
    const others = await db
      .deleteFrom('platform_administrator')
      .where('user_id', '!=', runner.userId)
      .returningAll()
      .execute();
    const other = await makeSite(db);
    await makePerson(db, other);
    await joinSite(db, other, runner.userId);
    const sites = [runner.siteId, other];
    const answers = await Promise.all(sites.map((siteId) => setUp(siteId)));
    await db.insertInto('platform_administrator').values(others).execute();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  test('however often it says that somebody came in, nobody is signed out elsewhere', async () => {
    const { db } = house();
    const managed = await managedSite();
    await joinSite(db, managed, person.userId);
    const opened = await Promise.all(
      Array.from({ length: 10 }, () => openSession(db, managed, person.userId)),
    );
    const ofManager = () => db.updateTable('session').where('site_id', '=', managed);
    await ofManager().set({ is_federated: true }).execute();
    // Used longest ago of all.
    const own = db.updateTable('session').where('site_id', '=', person.siteId);
    await own.set({ last_seen_at: new Date(Date.now() - 10 * 60_000) }).execute();
    const came = await come(managed, { sub: crypto.randomUUID(), ...verified(person) });
    expect([came.status, came.body.endedSessions]).toEqual([200, 1]);
    expect(await statusOf(person.cookie)).toBe(200);
    const left = (await Promise.all(opened.map(statusOf))).filter((each) => each === 200);
    expect(left).toHaveLength(9);
  });

  test('its session is told of no sessions elsewhere, and ends none', async () => {
    const managed = await managedSite();
    await joinSite(house().db, managed, person.userId);
    const came = await come(managed, { sub: crypto.randomUUID(), ...verified(person) });
    const federated = door(cookieOf(came));
    const listed = await federated.get<SessionInfo[]>('/api/session/sessions');
    expect(listed.body.map(({ site }) => site.id)).toEqual([managed]);
    const own = as(house().app, person, 'console');
    const [there] = (await own.get<SessionInfo[]>('/api/session/sessions')).body.filter(
      ({ isCurrent }) => isCurrent,
    );
    expect((await federated.del(`/api/session/sessions/${there?.id}`)).status).toBe(404);
    expect((await federated.del('/api/session/sessions')).body).toEqual({ ended: 0 });
    expect((await own.del('/api/session/sessions')).body).toEqual({ ended: 1 });
  });

  test('what the manager of one site calls a guest opens nothing on the site of the account', async () => {
    const { db } = house();
    const managed = await managedSite();
    await joinSite(db, managed, person.userId);
    expect((await setUp(person.siteId)).status).toBe(200);
    const sub = crypto.randomUUID();
    const guest = await come(managed, { sub, ...verified(person) });
    expect([guest.status, guest.body.user.id, guest.body.site.id]).toEqual([200, person.userId, managed]);
    // Who has that name with the manager at home is somebody else.
    expect((await come(person.siteId, { sub })).status).toBe(403);
    // Each site knows them by its own, and by nothing but that.
    const home = crypto.randomUUID();
    expect((await come(person.siteId, { sub: home, ...verified(person) })).status).toBe(200);
    expect((await come(managed, { sub })).body.user.id).toBe(person.userId);
    expect((await come(managed, { sub: home })).status).toBe(403);
    expect((await come(managed, { sub: 'another', ...verified(person) })).status).toBe(403);
  });

  test('what another provider called a guest is forgotten with it', async () => {
    const managed = await managedSite();
    await joinSite(house().db, managed, person.userId);
    const sub = crypto.randomUUID();
    expect((await come(managed, { sub, ...verified(person) })).status).toBe(200);
    expect((await setUp(managed, { claim: 'staff_id' })).status).toBe(200);
    const links = await house()
      .db.selectFrom('identity_link')
      .select('user_id')
      .where('site_id', '=', managed)
      .execute();
    expect(links).toEqual([]);
  });

  test('an open session there is no proof of presence, and who proves it here is asked anew', async () => {
    expect((await setUp(person.siteId)).status).toBe(200);
    const claims = { sub: crypto.randomUUID(), ...verified(person) };
    const now = Math.floor(Date.now() / 1000);
    const hoursAgo = await come(person.siteId, { ...claims, signedInAt: now - 7200 });
    expect(hoursAgo.status).toBe(200);
    const asked = await key(cookieOf(hoursAgo));
    expect([asked.status, asked.body]).toEqual([403, expect.objectContaining({ code: 'step-up-required' })]);
    expect(new URL((await begin(person.siteId)).url).searchParams.get('prompt')).toBeNull();
    expect(new URL((await begin(person.siteId, cookieOf(hoursAgo))).url).searchParams.get('prompt')).toBe(
      'login',
    );
    const proven = await key(cookieOf(await come(person.siteId, claims)));
    expect(proven.body).not.toMatchObject({ code: 'step-up-required' });
  });

  test('an address that nobody verified is no name, and a secret goes to whom it was given by', async () => {
    expect((await setUp(person.siteId, { claim: 'email' })).status).toBe(200);
    await house()
      .db.updateTable('account')
      .set({ federation_id: person.email })
      .where('user_id', '=', person.userId)
      .execute();
    const unverified = { sub: 'x', email: person.email, email_verified: false };
    expect((await come(person.siteId, unverified)).status).toBe(403);
    expect((await come(person.siteId, { sub: 'x', ...verified(person) })).status).toBe(200);
    const elsewhere = await startIdentityProvider(`${publicUrl}/sign-in/identity`);
    const moved = { issuer: elsewhere.issuer, clientSecret: undefined };
    const refused = await setUp(person.siteId, moved);
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([400, ['clientSecret']]);
    expect((await setUp(person.siteId, { issuer: elsewhere.issuer })).status).toBe(200);
    await elsewhere.close();
  });
});
