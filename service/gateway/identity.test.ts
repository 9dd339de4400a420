/** Sign-in through the identity manager of a site, against a real provider. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { IdentityStart, Session, SiteIdentity } from '../../contract/generated/types.gen.ts';
import { grantPlatform } from '../areas/sites/index.ts';
import { callsWith, type Refusal } from '../testing/calls.ts';
import { startIdentityProvider, type IdentityProvider } from '../testing/identity-provider.ts';
import {
  as,
  makePerson,
  makeRunnerElsewhere,
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

onEachApp((house) => {
  beforeAll(() => makeRunnerElsewhere(house().db));
  let person: Person;
  let slug = '';
  const identity = () => `/api/platform/sites/${person.siteId}/identity`;
  const setUp = (more: object = {}) =>
    as(house().app, person, 'console').put<SiteIdentity & Refusal>(identity(), {
      mode: 'identity-manager',
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      ...more,
    });
  beforeEach(async () => {
    const { db } = house();
    person = await makePerson(db, await makeSite(db), {});
    await db.transaction().execute((tx) => grantPlatform(tx, person.userId));
    const site = await db
      .selectFrom('site')
      .select('slug')
      .where('site_id', '=', person.siteId)
      .executeTakeFirstOrThrow();
    ({ slug } = site);
  });

  const door = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });
  const begin = () => door().post<IdentityStart & Refusal>('/api/session/identity', { site: slug });
  const NO_SECRET = 'of nobody who began anything';
  const finish = (query: string, secret = NO_SECRET) =>
    door().post<Session & Refusal>('/api/session/identity/finish', { query, secret });
  const come = async () => {
    const { url, secret } = (await begin()).body;
    return finish(await provider.visit(url), secret);
  };
  const federate = (who: Person, federationId: string | null) =>
    house()
      .db.updateTable('account')
      .set({ federation_id: federationId })
      .where('user_id', '=', who.userId)
      .execute();
  const federationIdOf = async (who: Person) =>
    (
      await house()
        .db.selectFrom('account')
        .select('federation_id')
        .where('user_id', '=', who.userId)
        .executeTakeFirstOrThrow()
    ).federation_id;

  test('is refused while nobody could run the platform without the site', async () => {
    const { db } = house();
    const others = await db
      .deleteFrom('platform_administrator')
      .where('user_id', '!=', person.userId)
      .returningAll()
      .execute();
    const refused = await setUp();
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('lock yourself out'),
    ]);
    expect((await as(house().app, person, 'console').get<SiteIdentity>(identity())).body.mode).toBe(
      'password',
    );
    await db.insertInto('platform_administrator').values(others).execute();
    expect((await setUp()).status).toBe(200);
  });

  test('opens the site for the user with the federation id, and for nobody else', async () => {
    expect((await setUp()).body).toMatchObject({ mode: 'identity-manager', hasClientSecret: true });
    const sub = crypto.randomUUID();
    await federate(person, sub);
    provider.setPerson({ sub });
    const came = await come();
    expect([came.status, came.body.user.id, came.body.site.id]).toEqual([200, person.userId, person.siteId]);
    const out = await as(house().app, person, 'console').get<{ url: string }>(
      '/api/session/identity/sign-out',
    );
    expect(out.body.url).toContain(`${provider.issuer}/session/end?`);
    provider.setPerson({ sub: 'a stranger' });
    const stranger = await come();
    expect([stranger.status, stranger.body.message]).toEqual([403, expect.stringContaining('a stranger')]);
  });

  test('knows somebody without a federation id by the verified address, once', async () => {
    await setUp();
    const sub = crypto.randomUUID();
    provider.setPerson({ sub, email: person.email, email_verified: false });
    expect((await come()).status).toBe(403);
    provider.setPerson({ sub, email: person.email, email_verified: true });
    expect((await come()).status).toBe(200);
    expect(await federationIdOf(person)).toBe(sub);
    // The address alone opens nothing any more: whoever takes it over is somebody else.
    provider.setPerson({ sub: 'another', email: person.email, email_verified: true });
    expect((await come()).status).toBe(403);
    const audits = await house()
      .db.selectFrom('audit_log')
      .select('changes')
      .where('site_id', '=', person.siteId)
      .where('action', '=', 'user.federation-linked')
      .execute();
    expect(audits.map(({ changes }) => changes)).toEqual([{ federationId: [null, sub] }]);
  });

  test('each coming back counts once, and only for the sign-in that was begun', async () => {
    await setUp();
    const sub = crypto.randomUUID();
    await federate(person, sub);
    provider.setPerson({ sub });
    const { url, secret } = (await begin()).body;
    const query = await provider.visit(url);
    const another = (await begin()).body;
    const other = new URLSearchParams(await provider.visit(another.url));
    // Whoever catches the address alone neither gets in nor uses it up.
    expect((await finish(query)).status).toBe(401);
    expect((await finish(query, another.secret)).status).toBe(401);
    const replies = await Promise.all([finish(query, secret), finish(query, secret)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    // A code of one sign-in with the state of another.
    const mixed = new URLSearchParams({ code: 'stolen', state: other.get('state') ?? '' });
    expect((await finish(mixed.toString(), another.secret)).status).toBe(401);
    expect((await finish('code=x&state=never-begun')).status).toBe(401);
    expect((await finish(`error=access_denied&state=${crypto.randomUUID()}`)).status).toBe(401);
  });

  test('an inactive user is refused, and passwords open the site no longer', async () => {
    const { db, app } = house();
    await setUp();
    const gone = await makePerson(db, person.siteId, { isActive: false });
    const sub = crypto.randomUUID();
    await federate(gone, sub);
    provider.setPerson({ sub });
    expect((await come()).status).toBe(403);
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

  test('is set up only with a provider that answers, and keeps its secret to itself', async () => {
    const dead = await setUp({ issuer: 'http://127.0.0.1:9' });
    expect([dead.status, dead.body.errors?.[0]?.path]).toEqual([400, 'issuer']);
    const plain = await setUp({ issuer: 'http://login.example.com' });
    expect([plain.status, plain.body.errors?.[0]?.message]).toEqual([400, 'must begin with https://']);
    const nameless = await setUp({ clientId: null });
    expect([nameless.status, nameless.body.errors?.[0]?.path]).toEqual([400, 'clientId']);
    expect((await begin()).status).toBe(404);
    const kept = await setUp();
    expect(JSON.stringify(kept.body)).not.toContain(provider.clientSecret);
    const rows = await house().db.selectFrom('identity_provider').selectAll().execute();
    expect(rows.some(({ client_secret: secret }) => secret?.includes(provider.clientSecret))).toBe(false);
    // Without the secret in the request it stays.
    expect((await setUp({ clientSecret: undefined })).body.hasClientSecret).toBe(true);
    expect((await setUp({ mode: 'password' })).body.mode).toBe('password');
    expect((await begin()).status).toBe(404);
  });
});
