/** An identity manager is trusted for its own site only (ASVS 6.8.1, 6.8.4). */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type {
  IdentityStart,
  Session,
  SessionInfo,
  SiteIdentity,
} from '../../contract/generated/types.gen.ts';
import { addPlatformAdministrator } from '../areas/sites/index.ts';
import { isEmbedded, type Tx } from '../kernel/db/database.ts';
import { createApiClient, type ErrorBody } from '../testing/calls.ts';
import { countWaiting, untilSomebodyWaits } from '../testing/databases.ts';
import { startIdentityProvider, type IdentityProvider } from '../testing/servers/identity-provider.ts';
import { getSessionCookie } from '../testing/sign-in.ts';
import {
  as,
  joinSite,
  makePerson,
  makeOtherPlatformAdministrator,
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

const getIdentityPath = (siteId: number) => `/api/platform/sites/${siteId}/identity`;

const toVerifiedClaims = (who: Person) => ({ email: who.email, email_verified: true });

onEachApp((context) => {
  beforeAll(() => makeOtherPlatformAdministrator(context().db));
  let administrator: Person;
  /** User whose home site is that of the platform administrator. */
  let person: Person;
  beforeEach(async () => {
    const { db } = context();
    const siteId = await makeSite(db);
    [administrator, person] = [await makePerson(db, siteId), await makePerson(db, siteId)];
    await db.transaction().execute((tx) => addPlatformAdministrator(tx, administrator.userId));
  });

  const setUpIdentity = (siteId: number, more: object = {}) =>
    as(context().app, administrator, 'console').put<ErrorBody>(getIdentityPath(siteId), {
      mode: 'identity-manager',
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      ...more,
    });
  /** Creates another site with its own administrator and an identity manager. */
  const createManagedSite = async () => {
    const { db } = context();
    const siteId = await makeSite(db);
    await makePerson(db, siteId);
    expect((await setUpIdentity(siteId)).status).toBe(200);
    return siteId;
  };

  const loadSlug = async (siteId: number) => {
    const row = await context()
      .db.selectFrom('site')
      .select('slug')
      .where('site_id', '=', siteId)
      .executeTakeFirstOrThrow();
    return row.slug;
  };
  const callConsole = (cookie?: string) =>
    createApiClient(context().app, '/console', {
      'x-steward-console': '1',
      ...(cookie !== undefined && { cookie: `steward=${cookie}` }),
    });
  const startSignIn = async (siteId: number, cookie?: string) =>
    (await callConsole(cookie).post<IdentityStart>('/api/session/identity', { site: await loadSlug(siteId) }))
      .body;
  const signIn = async (siteId: number, claims: { sub: string } & Record<string, unknown>) => {
    provider.setPerson(claims);
    const { url, secret } = await startSignIn(siteId);
    const query = await provider.visit(url);
    return callConsole().post<Session & ErrorBody>('/api/session/identity/finish', { query, secret });
  };
  const getStatus = async (cookie: string) => (await callConsole(cookie).get('/api/session')).status;
  const enableApiKey = (cookie: string) =>
    callConsole(cookie).post<ErrorBody>('/api/session/apikey', { scopes: ['data'] });

  test('a federated session cannot switch the site, change factors or administer the platform', async () => {
    const managed = await createManagedSite();
    await joinSite(context().db, managed, administrator.userId);
    const signedIn = await signIn(managed, { sub: crypto.randomUUID(), ...toVerifiedClaims(administrator) });
    expect([signedIn.status, signedIn.body.runsPlatform]).toEqual([200, false]);
    const federated = callConsole(getSessionCookie(signedIn));
    const refused = await Promise.all([
      federated.put('/api/session/site', { siteId: administrator.siteId }),
      federated.post('/api/session/two-factor/enrolment'),
      federated.put('/api/session/two-factor/enrolment', { code: '123456' }),
      federated.post('/api/session/security/passkeys/options'),
      federated.post('/api/session/security/recovery-codes'),
      federated.get('/api/platform/sites'),
      federated.put(getIdentityPath(administrator.siteId), { mode: 'password' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
    // This holds for the whole session, even after the site returns to passwords.
    expect((await setUpIdentity(managed, { mode: 'password', issuer: null, clientId: null })).status).toBe(
      200,
    );
    expect((await federated.put('/api/session/site', { siteId: administrator.siteId })).status).toBe(403);
    const own = as(context().app, administrator, 'console');
    expect((await own.get<Session>('/api/session')).body.runsPlatform).toBe(true);
  });

  test('two sites that enable a manager concurrently do not lock out the last platform administrator', async () => {
    const { db } = context();
    const others = await db
      .deleteFrom('platform_administrator')
      .where('user_id', '!=', administrator.userId)
      .returningAll()
      .execute();
    const other = await makeSite(db);
    await makePerson(db, other);
    await joinSite(db, other, administrator.userId);
    const sites = [administrator.siteId, other];
    const answers = await Promise.all(sites.map((siteId) => setUpIdentity(siteId)));
    await db.insertInto('platform_administrator').values(others).execute();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  test('federated sign-ins never end sessions on other sites', async () => {
    const { db } = context();
    const managed = await createManagedSite();
    await joinSite(db, managed, person.userId);
    const opened = await Promise.all(
      Array.from({ length: 10 }, () => openSession(db, managed, person.userId)),
    );
    const ofManager = () => db.updateTable('session').where('site_id', '=', managed);
    await ofManager().set({ is_federated: true }).execute();
    // The least recently used of all sessions.
    const own = db.updateTable('session').where('site_id', '=', person.siteId);
    await own.set({ last_seen_at: new Date(Date.now() - 10 * 60_000) }).execute();
    const signedIn = await signIn(managed, { sub: crypto.randomUUID(), ...toVerifiedClaims(person) });
    expect([signedIn.status, signedIn.body.endedSessions]).toEqual([200, 1]);
    expect(await getStatus(person.cookie)).toBe(200);
    const remaining = (await Promise.all(opened.map(getStatus))).filter((each) => each === 200);
    expect(remaining).toHaveLength(9);
  });

  test('a federated session neither lists nor ends sessions on other sites', async () => {
    const managed = await createManagedSite();
    await joinSite(context().db, managed, person.userId);
    const signedIn = await signIn(managed, { sub: crypto.randomUUID(), ...toVerifiedClaims(person) });
    const federated = callConsole(getSessionCookie(signedIn));
    const listed = await federated.get<SessionInfo[]>('/api/session/sessions');
    expect(listed.body.map(({ site }) => site.id)).toEqual([managed]);
    const own = as(context().app, person, 'console');
    const [currentSession] = (await own.get<SessionInfo[]>('/api/session/sessions')).body.filter(
      ({ isCurrent }) => isCurrent,
    );
    expect((await federated.del(`/api/session/sessions/${currentSession?.id}`)).status).toBe(404);
    expect((await federated.del('/api/session/sessions')).body).toEqual({ ended: 0 });
    expect((await own.del('/api/session/sessions')).body).toEqual({ ended: 1 });
  });

  test('a subject of the manager of one site opens nothing on the home site of the account', async () => {
    const { db } = context();
    const managed = await createManagedSite();
    await joinSite(db, managed, person.userId);
    expect((await setUpIdentity(person.siteId)).status).toBe(200);
    const sub = crypto.randomUUID();
    const guest = await signIn(managed, { sub, ...toVerifiedClaims(person) });
    expect([guest.status, guest.body.user.id, guest.body.site.id]).toEqual([200, person.userId, managed]);
    // The same subject at the home site's manager is another person.
    expect((await signIn(person.siteId, { sub })).status).toBe(403);
    // Each site accepts only the subject of its own manager.
    const home = crypto.randomUUID();
    expect((await signIn(person.siteId, { sub: home, ...toVerifiedClaims(person) })).status).toBe(200);
    expect((await signIn(managed, { sub })).body.user.id).toBe(person.userId);
    expect((await signIn(managed, { sub: home })).status).toBe(403);
    expect((await signIn(managed, { sub: 'another', ...toVerifiedClaims(person) })).status).toBe(403);
  });

  test.each([
    ['changes', { claim: 'staff_id' }],
    ['is removed', { mode: 'password', issuer: '', clientId: '', clientSecret: '' }],
  ])('links are deleted when the provider %s', async (_, changes) => {
    const managed = await createManagedSite();
    await joinSite(context().db, managed, person.userId);
    const sub = crypto.randomUUID();
    expect((await signIn(managed, { sub, ...toVerifiedClaims(person) })).status).toBe(200);
    expect((await setUpIdentity(managed, changes)).status).toBe(200);
    const links = await context()
      .db.selectFrom('identity_link')
      .select('user_id')
      .where('site_id', '=', managed)
      .execute();
    expect(links).toEqual([]);
  });

  /** Runs `change` while the sign-ins of the person, whom the provider has confirmed, wait for the settings of the site. */
  const signInDuring = async (siteId: number, count: number, change: (tx: Tx) => Promise<unknown>) => {
    const { db } = context();
    const queries: { query: string; secret: string }[] = [];
    for (let n = 0; n < count; n += 1) {
      const { url, secret } = await startSignIn(siteId);
      queries.push({ query: await provider.visit(url), secret });
    }
    const replies = await db.transaction().execute(async (tx) => {
      await sql`select from site where site_id = ${siteId} for no key update`.execute(tx);
      const finishing = queries.map((body) =>
        callConsole().post<Session & ErrorBody>('/api/session/identity/finish', body),
      );
      if (!isEmbedded(db)) await vi.waitUntil(async () => (await countWaiting(db)) === count);
      await change(tx);
      return () => Promise.all(finishing);
    });
    return (await replies()).map(({ status }) => status);
  };

  test('a sign-in that ends after the provider was replaced links nobody', async () => {
    const managed = await createManagedSite();
    await joinSite(context().db, managed, person.userId);
    provider.setPerson({ sub: crypto.randomUUID(), ...toVerifiedClaims(person) });
    const statuses = await signInDuring(managed, 1, (tx) =>
      sql`update identity_provider set claim = 'staff_id' where site_id = ${managed}`.execute(tx),
    );
    // The embedded database reads the settings only after their change.
    expect(statuses).toEqual([isEmbedded(context().db) ? 403 : 401]);
    const { rows } = await sql`select from identity_link where site_id = ${managed}`.execute(context().db);
    expect(rows).toEqual([]);
  });

  test.each(['home', 'other'])('two first sign-ins at once both succeed (%s site)', async (where) => {
    expect((await setUpIdentity(person.siteId)).status).toBe(200);
    const managed = where === 'home' ? person.siteId : await createManagedSite();
    if (where === 'other') await joinSite(context().db, managed, person.userId);
    provider.setPerson({ sub: crypto.randomUUID(), ...toVerifiedClaims(person) });
    expect(await signInDuring(managed, 2, async () => {})).toEqual([200, 200]);
  });

  test('settings are never answered with the entity tag of later ones', async () => {
    const { db } = context();
    const managed = await createManagedSite();
    const client = as(context().app, administrator, 'console');
    const read = await db.transaction().execute(async (tx) => {
      await sql`lock table passkey in access exclusive mode`.execute(tx);
      const reading = client.get<SiteIdentity>(getIdentityPath(managed));
      await untilSomebodyWaits(db);
      await sql`update identity_provider set claim = 'later' where site_id = ${managed}`.execute(tx);
      return () => reading;
    });
    const { body, headers } = await read();
    const update = await client.put(
      getIdentityPath(managed),
      { mode: 'password' },
      { headers: { 'if-match': String(headers['etag']) } },
    );
    expect(update.status).toBe(body.claim === 'later' ? 200 : 412);
  });

  test('an existing session at the provider is no proof of presence; step-up forces a new sign-in', async () => {
    expect((await setUpIdentity(person.siteId)).status).toBe(200);
    const claims = { sub: crypto.randomUUID(), ...toVerifiedClaims(person) };
    const now = Math.floor(Date.now() / 1000);
    const hoursAgo = await signIn(person.siteId, { ...claims, signedInAt: now - 7200 });
    expect(hoursAgo.status).toBe(200);
    const refused = await enableApiKey(getSessionCookie(hoursAgo));
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.objectContaining({ code: 'step-up-required' }),
    ]);
    expect(new URL((await startSignIn(person.siteId)).url).searchParams.get('prompt')).toBeNull();
    expect(
      new URL((await startSignIn(person.siteId, getSessionCookie(hoursAgo))).url).searchParams.get('prompt'),
    ).toBe('login');
    const proven = await enableApiKey(getSessionCookie(await signIn(person.siteId, claims)));
    expect(proven.body).not.toMatchObject({ code: 'step-up-required' });
  });

  test('ignores unverified e-mail addresses, and never sends a secret to another issuer', async () => {
    expect((await setUpIdentity(person.siteId, { claim: 'email' })).status).toBe(200);
    await context()
      .db.updateTable('account')
      .set({ federation_id: person.email })
      .where('user_id', '=', person.userId)
      .execute();
    const unverified = { sub: 'x', email: person.email, email_verified: false };
    expect((await signIn(person.siteId, unverified)).status).toBe(403);
    expect((await signIn(person.siteId, { sub: 'x', ...toVerifiedClaims(person) })).status).toBe(200);
    const elsewhere = await startIdentityProvider(`${publicUrl}/sign-in/identity`);
    const moved = { issuer: elsewhere.issuer, clientSecret: undefined };
    const refused = await setUpIdentity(person.siteId, moved);
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([400, ['clientSecret']]);
    expect((await setUpIdentity(person.siteId, { issuer: elsewhere.issuer })).status).toBe(200);
    await elsewhere.close();
  });
});
