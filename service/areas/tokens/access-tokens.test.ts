import { beforeEach, describe, expect, test } from 'vitest';
import { hashSecret } from '../../kernel/secret.ts';
import { createApiClient, send } from '../../testing/calls.ts';
import { makeKey, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const TOKEN = '/api/rest/v1/oauth/token';
const GRANT = { grant_type: 'client_credentials' };
const FORM = 'application/x-www-form-urlencoded';
const encode = (form: Record<string, string>) => new URLSearchParams(form).toString();

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

interface Answer {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  error?: string;
  message?: string;
  requestId?: string;
}

onEachApp((context) => {
  let person: Person;
  let key: { clientId: number; secret: string };
  beforeEach(async () => {
    const { db } = context();
    person = await makePerson(db, await makeSite(db));
    await db
      .updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', person.clientId)
      .execute();
    key = await makeKey(db, person, ['user_management', 'data']);
  });

  const requestToken = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
    send<Answer>(context().app, {
      method: 'POST',
      url: TOKEN,
      payload: typeof form === 'string' ? form : encode(form),
      headers: { 'content-type': FORM, ...headers },
    });
  const buildForm = (more: Record<string, string> = {}) => ({
    ...GRANT,
    client_id: String(key.clientId),
    client_secret: key.secret,
    ...more,
  });
  const expectError = async (form: Record<string, string>, headers?: Record<string, string>) => {
    const reply = await requestToken(form, headers);
    expect(reply.body.message).toMatch(/\w/);
    expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
    expect(reply.text).not.toContain(key.secret);
    return [reply.status, reply.body.error];
  };
  const turnOff = () =>
    context()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', key.clientId)
      .execute();
  const listUsers = (token: string) =>
    createApiClient(context().app, '', { authorization: `Bearer ${token}` }).get('user');

  test.each(['in the form', 'as HTTP Basic'])(
    'returns a bearer token for 900 seconds to a client that authenticates %s (shapes 1)',
    async (where) => {
      const { status, body, headers } =
        where === 'in the form'
          ? await requestToken(buildForm())
          : await requestToken(GRANT, basic(String(key.clientId), key.secret));
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect({ ...body, access_token: '' }).toEqual({
        access_token: '',
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'user_management data',
      });
      expect((await listUsers(body.access_token)).status).toBe(200);
      const row = await context()
        .db.selectFrom('access_token')
        .select('expires_at')
        .where('token_hash', '=', hashSecret(body.access_token))
        .executeTakeFirstOrThrow();
      expect(Math.abs(row.expires_at.getTime() - Date.now() - 900_000)).toBeLessThan(10_000);
    },
  );

  test('refuses an expired token', async () => {
    const { body } = await requestToken(buildForm());
    await context()
      .db.updateTable('access_token')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('client_id', '=', key.clientId)
      .execute();
    expect((await listUsers(body.access_token)).status).toBe(401);
  });

  test('restricts the token to the requested scopes', async () => {
    const { body } = await requestToken(buildForm({ scope: 'data' }));
    expect(body.scope).toBe('data');
    expect((await listUsers(body.access_token)).status).toBe(403);
    expect((await requestToken(buildForm({ scope: 'data data user_management' }))).body.scope).toBe(
      'data user_management',
    );
  });

  describe('errors follow RFC 6749 5.2 and contain message and requestId', () => {
    test('another grant type, or none', async () => {
      expect(await expectError(buildForm({ grant_type: 'password' }))).toEqual([
        400,
        'unsupported_grant_type',
      ]);
      expect(await expectError({ client_id: String(key.clientId) })).toEqual([400, 'invalid_request']);
    });

    test('a scope that the key does not have', async () => {
      for (const scope of ['backup', 'data backup', 'everything', 'DATA'])
        expect(await expectError(buildForm({ scope }))).toEqual([400, 'invalid_scope']);
    });

    test('a wrong, unknown or missing id or secret', async () => {
      const wrongs: Record<string, string>[] = [
        { client_secret: `${key.secret}x` },
        { client_secret: '' },
        { client_id: '2147483647' },
        { client_id: '99999999999' },
        { client_id: 'x' },
        { client_id: '' },
      ];
      for (const wrong of wrongs) {
        expect(await expectError(buildForm(wrong))).toEqual([401, 'invalid_client']);
      }
      expect(await expectError(GRANT)).toEqual([401, 'invalid_client']);
    });

    test('with HTTP Basic the 401 asks for Basic', async () => {
      for (const header of [
        basic(String(key.clientId), 'wrong'),
        { authorization: 'Basic !' },
        { authorization: 'Basic JTpi' },
        { authorization: 'Basic bm8gY29sb24=' },
      ]) {
        const { status, body } = await requestToken(GRANT, header);
        expect([status, body.error]).toEqual([401, 'invalid_client']);
      }
      expect((await requestToken(GRANT, basic('1', 'wrong'))).headers['www-authenticate']).toBe(
        'Basic realm="steward"',
      );
    });

    test('a repeated parameter', async () => {
      const { status, body } = await requestToken(`${encode(buildForm())}&scope=data&scope=backup`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    });
  });

  test('rejects JSON with 415', async () => {
    expect(
      (await requestToken(JSON.stringify(buildForm()), { 'content-type': 'application/json' })).status,
    ).toBe(415);
  });

  test('ignores unknown parameters (RFC 6749 3.2)', async () => {
    expect((await requestToken(buildForm({ colour: 'red', __proto__x: '1' }))).status).toBe(200);
  });

  test('refuses a key that is turned off, and its tokens at once (spec 5.3)', async () => {
    const { body } = await requestToken(buildForm());
    await turnOff();
    expect((await requestToken(buildForm())).status).toBe(401);
    expect((await listUsers(body.access_token)).status).toBe(401);
  });

  test('refuses a user with IP restrictions at an address that is not approved (spec 5.4)', async () => {
    const { db } = context();
    await db
      .updateTable('membership')
      .set({ ip_restrictions_enabled: true })
      .where('user_id', '=', person.userId)
      .execute();
    const { status, body } = await requestToken(buildForm());
    expect([status, body.error, body.message]).toEqual([
      403,
      'unauthorized_client',
      'The address 127.0.0.1 is not approved on this site. An administrator can approve it.',
    ]);
    // Only a sender who knows the secret learns the reason.
    expect(await expectError(buildForm({ client_secret: 'wrong' }))).toEqual([401, 'invalid_client']);
    await db
      .insertInto('approved_address')
      .values({ site_id: person.siteId, network: '127.0.0.0/8' })
      .execute();
    expect((await requestToken(buildForm())).status).toBe(200);
  });

  test('rejects a form with too many fields or bytes before processing it (T17)', async () => {
    const body = Array.from({ length: 21 }, (_, index) => `f${index}=1`).join('&');
    expect((await requestToken(body)).status).toBe(413);
    expect((await requestToken(`grant_type=client_credentials&padding=${'x'.repeat(20_000)}`)).status).toBe(
      413,
    );
  });

  test('refuses a user who cannot act', async () => {
    for (const values of [{ is_active: false }, { is_active: true, expires_at: new Date(Date.now() - 1) }]) {
      await context().db.updateTable('membership').set(values).where('user_id', '=', person.userId).execute();
      expect((await requestToken(buildForm())).status).toBe(401);
    }
  });

  test('says that No License does not allow access, to a sender who knows the secret', async () => {
    const { body: issued } = await requestToken(buildForm());
    await context()
      .db.updateTable('membership')
      .set({ license_type_id: 4 })
      .where('user_id', '=', person.userId)
      .execute();
    const { status, body } = await requestToken(buildForm());
    expect([status, body.error, body.message]).toEqual([
      403,
      'unauthorized_client',
      expect.stringContaining('No License'),
    ]);
    expect(await expectError(buildForm({ client_secret: 'wrong' }))).toEqual([401, 'invalid_client']);
    // The same for a token that was issued before.
    const reply = await listUsers(issued.access_token);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('No License')]);
    expect((await listUsers(`${issued.access_token}x`)).status).toBe(401);
    await turnOff();
    expect(await expectError(buildForm())).toEqual([401, 'invalid_client']);
  });

  test('wrong secrets are 429 after 30 for one client id and after 300 from one address', async () => {
    const { db } = context();
    const resetThrottle = () => db.deleteFrom('throttle').execute();
    await resetThrottle();
    const guess = async (clientId: string) =>
      (await requestToken(buildForm({ client_id: clientId, client_secret: 'wrong' }))).status;
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1) statuses.push(await guess(String(key.clientId)));
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 401), 429]);
    // Neither another client nor the owner of the key is affected.
    expect(await guess('2147483647')).toBe(401);
    expect((await requestToken(buildForm())).status).toBe(200);
    await setThrottle('token-failures:127.0.0.1', 299);
    expect(await guess('x')).toBe(401);
    const last = await requestToken(buildForm({ client_id: 'x', client_secret: 'wrong' }));
    expect(last.status).toBe(429);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    expect((await requestToken(buildForm())).status).toBe(200);
    await resetThrottle();
  });

  const setThrottle = (name: string, number: number) =>
    context()
      .db.insertInto('throttle')
      .values({ key: name, count: number, window_started_at: new Date() })
      .onConflict((on) => on.column('key').doUpdateSet({ count: number }))
      .execute();

  describe('at most 300 calls a minute for one user (shapes 1)', () => {
    test('the next call is 429 with Retry-After until the minute is over', async () => {
      await setThrottle(`token:${key.clientId}`, 299);
      expect((await requestToken(buildForm())).status).toBe(200);
      const { status, headers } = await requestToken(buildForm());
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      await context()
        .db.updateTable('throttle')
        .set({ window_started_at: new Date(Date.now() - 61_000) })
        .where('key', '=', `token:${key.clientId}`)
        .execute();
      expect((await requestToken(buildForm())).status).toBe(200);
    });

    test('wrong secrets count against their sender, not against the owner of the key', async () => {
      await setThrottle(`token:${key.clientId}:127.0.0.1`, 300);
      expect((await requestToken(buildForm({ client_secret: 'wrong' }))).status).toBe(429);
      expect((await requestToken(buildForm())).status).toBe(200);
    });
  });
});
