/** Sign-in through the identity manager of a site, tested with a real provider. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { IdentityStart, Session, SiteIdentity } from '../../contract/generated/types.gen.ts';
import { addPlatformAdministrator } from '../areas/sites/index.ts';
import { createApiClient, type ErrorBody } from '../testing/calls.ts';
import { startIdentityProvider, type IdentityProvider } from '../testing/servers/identity-provider.ts';
import {
  as,
  makePerson,
  makeOtherPlatformAdministrator,
  makeSite,
  onEachApp,
  publicUrl,
  type Person,
} from '../testing/site.ts';

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider(`${publicUrl}/sign-in/identity`);
});
afterAll(() => provider.close());

onEachApp((context) => {
  beforeAll(() => makeOtherPlatformAdministrator(context().db));
  let person: Person;
  let slug = '';
  const getIdentityPath = () => `/api/platform/sites/${person.siteId}/identity`;
  const setUpIdentity = (more: object = {}) =>
    as(context().app, person, 'console').put<SiteIdentity & ErrorBody>(getIdentityPath(), {
      mode: 'identity-manager',
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      ...more,
    });
  beforeEach(async () => {
    const { db } = context();
    person = await makePerson(db, await makeSite(db), {});
    await db.transaction().execute((tx) => addPlatformAdministrator(tx, person.userId));
    const site = await db
      .selectFrom('site')
      .select('slug')
      .where('site_id', '=', person.siteId)
      .executeTakeFirstOrThrow();
    ({ slug } = site);
  });

  const callConsole = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });
  const startSignIn = () =>
    callConsole().post<IdentityStart & ErrorBody>('/api/session/identity', { site: slug });
  const NO_SECRET = 'secret of no started sign-in';
  const finishSignIn = (query: string, secret = NO_SECRET) =>
    callConsole().post<Session & ErrorBody>('/api/session/identity/finish', { query, secret });
  const signIn = async () => {
    const { url, secret } = (await startSignIn()).body;
    return finishSignIn(await provider.visit(url), secret);
  };
  const setFederationId = (who: Person, federationId: string | null) =>
    context()
      .db.updateTable('account')
      .set({ federation_id: federationId })
      .where('user_id', '=', who.userId)
      .execute();
  const loadFederationId = async (who: Person) =>
    (
      await context()
        .db.selectFrom('account')
        .select('federation_id')
        .where('user_id', '=', who.userId)
        .executeTakeFirstOrThrow()
    ).federation_id;

  test('cannot be enabled when no platform administrator could sign in without the site', async () => {
    const { db } = context();
    const others = await db
      .deleteFrom('platform_administrator')
      .where('user_id', '!=', person.userId)
      .returningAll()
      .execute();
    const refused = await setUpIdentity();
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('lock you out')]);
    expect((await as(context().app, person, 'console').get<SiteIdentity>(getIdentityPath())).body.mode).toBe(
      'password',
    );
    await db.insertInto('platform_administrator').values(others).execute();
    expect((await setUpIdentity()).status).toBe(200);
  });

  test('signs in only the user with the federation id', async () => {
    expect((await setUpIdentity()).body).toMatchObject({ mode: 'identity-manager', hasClientSecret: true });
    const sub = crypto.randomUUID();
    await setFederationId(person, sub);
    provider.setPerson({ sub });
    const signedIn = await signIn();
    expect([signedIn.status, signedIn.body.user.id, signedIn.body.site.id]).toEqual([
      200,
      person.userId,
      person.siteId,
    ]);
    const signOut = await as(context().app, person, 'console').get<{ url: string }>(
      '/api/session/identity/sign-out',
    );
    expect(signOut.body.url).toContain(`${provider.issuer}/session/end?`);
    provider.setPerson({ sub: 'a stranger' });
    const stranger = await signIn();
    expect([stranger.status, stranger.body.message]).toEqual([403, expect.stringContaining('a stranger')]);
  });

  test('links a user without a federation id by the verified e-mail address, once', async () => {
    await setUpIdentity();
    const sub = crypto.randomUUID();
    provider.setPerson({ sub, email: person.email, email_verified: false });
    expect((await signIn()).status).toBe(403);
    provider.setPerson({ sub, email: person.email, email_verified: true });
    expect((await signIn()).status).toBe(200);
    expect(await loadFederationId(person)).toBe(sub);
    // After linking, the e-mail address alone is not sufficient: someone else may take it over.
    provider.setPerson({ sub: 'another', email: person.email, email_verified: true });
    expect((await signIn()).status).toBe(403);
    const audits = await context()
      .db.selectFrom('audit_log')
      .select('changes')
      .where('site_id', '=', person.siteId)
      .where('action', '=', 'user.federation-linked')
      .execute();
    expect(audits.map(({ changes }) => changes)).toEqual([{ federationId: [null, sub] }]);
  });

  test('accepts each callback once, and only for the sign-in that was started', async () => {
    await setUpIdentity();
    const sub = crypto.randomUUID();
    await setFederationId(person, sub);
    provider.setPerson({ sub });
    const { url, secret } = (await startSignIn()).body;
    const query = await provider.visit(url);
    const another = (await startSignIn()).body;
    const other = new URLSearchParams(await provider.visit(another.url));
    // The intercepted callback URL alone neither signs in nor consumes the sign-in.
    expect((await finishSignIn(query)).status).toBe(401);
    expect((await finishSignIn(query, another.secret)).status).toBe(401);
    const replies = await Promise.all([finishSignIn(query, secret), finishSignIn(query, secret)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    // The code of one sign-in with the state of another.
    const mixed = new URLSearchParams({ code: 'stolen', state: other.get('state') ?? '' });
    expect((await finishSignIn(mixed.toString(), another.secret)).status).toBe(401);
    expect((await finishSignIn('code=x&state=never-begun')).status).toBe(401);
    expect((await finishSignIn(`error=access_denied&state=${crypto.randomUUID()}`)).status).toBe(401);
  });

  test('rejects inactive users, and passwords have no effect on the site', async () => {
    const { db, app } = context();
    await setUpIdentity();
    const inactive = await makePerson(db, person.siteId, { isActive: false });
    const sub = crypto.randomUUID();
    await setFederationId(inactive, sub);
    provider.setPerson({ sub });
    expect((await signIn()).status).toBe(403);
    const created = await as(app, person, 'program').post<number>('user', {
      email: `${crypto.randomUUID()}@one.test`,
      firstName: 'A',
      lastName: 'B',
      password: 'without effect at all',
      federationId: 'without effect',
    });
    expect(created.status).toBe(200);
    const stored = await db
      .selectFrom('account')
      .select(['password_hash', 'federation_id'])
      .where('user_id', '=', created.body)
      .executeTakeFirstOrThrow();
    expect(stored).toEqual({ password_hash: null, federation_id: null });
  });

  test('requires a reachable provider, and never returns its secret', async () => {
    // A closed port, an address that the host does not allow, a name that does not exist, and a server that is no provider.
    const unusable = [
      'http://127.0.0.1:9',
      'https://10.0.0.1',
      'https://no.invalid',
      `${provider.issuer}/none`,
    ];
    const refusals = await Promise.all(unusable.map((issuer) => setUpIdentity({ issuer })));
    const [message, ...others] = new Set(refusals.map(({ status, body }) => `${status} ${body.message}`));
    expect(message).toMatch(/^400 issuer: does not answer as an OpenID provider, or the host/);
    expect(others).toEqual([]);
    const plain = await setUpIdentity({ issuer: 'http://login.example.com' });
    expect([plain.status, plain.body.errors?.[0]?.message]).toEqual([400, 'must start with https://']);
    const nameless = await setUpIdentity({ clientId: null });
    expect([nameless.status, nameless.body.errors?.[0]?.path]).toEqual([400, 'clientId']);
    expect((await startSignIn()).status).toBe(404);
    const saved = await setUpIdentity();
    expect(JSON.stringify(saved.body)).not.toContain(provider.clientSecret);
    const rows = await context().db.selectFrom('identity_provider').selectAll().execute();
    expect(rows.some(({ client_secret: secret }) => secret?.includes(provider.clientSecret))).toBe(false);
    // A request without the secret keeps it.
    expect((await setUpIdentity({ clientSecret: undefined })).body.hasClientSecret).toBe(true);
    expect((await setUpIdentity({ mode: 'password' })).body.mode).toBe('password');
    expect((await startSignIn()).status).toBe(404);
  });

  test('settings that change while the provider is checked are kept', async () => {
    await setUpIdentity({ mode: 'password' });
    const change = () => setUpIdentity({ mode: 'password', claim: 'email', clientSecret: undefined });
    const slow = createServer((_request, response) => {
      void change().then(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/auth`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/jwks`,
          }),
        ),
      );
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const address = slow.address();
    const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    expect((await setUpIdentity({ issuer })).status).toBe(409);
    const { body } = await as(context().app, person, 'console').get<SiteIdentity>(getIdentityPath());
    expect(body).toMatchObject({ mode: 'password', issuer: provider.issuer, claim: 'email' });
    slow.close();
  });

  test('a provider that does not answer is 503 with Retry-After', async () => {
    const other = await startIdentityProvider(`${publicUrl}/sign-in/identity`);
    const { issuer, clientId, clientSecret } = other;
    expect((await setUpIdentity({ issuer, clientId, clientSecret })).status).toBe(200);
    await other.close();
    const { status, headers } = await startSignIn();
    expect([status, headers['retry-after']]).toEqual([503, '10']);
  });
});
