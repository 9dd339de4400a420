import { beforeEach, describe, expect, test } from 'vitest';
import { hashSecret } from '../../kernel/secret.ts';
import { callsWith, send } from '../../testing/calls.ts';
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

onEachApp((house) => {
  let person: Person;
  let key: { clientId: number; secret: string };
  beforeEach(async () => {
    const { db } = house();
    person = await makePerson(db, await makeSite(db));
    await db
      .updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', person.clientId)
      .execute();
    key = await makeKey(db, person, ['user_management', 'data']);
  });

  const ask = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
    send<Answer>(house().app, {
      method: 'POST',
      url: TOKEN,
      payload: typeof form === 'string' ? form : encode(form),
      headers: { 'content-type': FORM, ...headers },
    });
  const inForm = (more: Record<string, string> = {}) => ({
    ...GRANT,
    client_id: String(key.clientId),
    client_secret: key.secret,
    ...more,
  });
  const refused = async (form: Record<string, string>, headers?: Record<string, string>) => {
    const reply = await ask(form, headers);
    expect(reply.body.message).toMatch(/\w/);
    expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
    expect(reply.text).not.toContain(key.secret);
    return [reply.status, reply.body.error];
  };
  const turnOff = () =>
    house()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', key.clientId)
      .execute();
  const listWith = (token: string) =>
    callsWith(house().app, '', { authorization: `Bearer ${token}` }).get('user');

  test.each(['in the form', 'as HTTP Basic'])(
    'with id and secret %s: a bearer token for 900 seconds (shapes 1)',
    async (where) => {
      const { status, body, headers } =
        where === 'in the form'
          ? await ask(inForm())
          : await ask(GRANT, basic(String(key.clientId), key.secret));
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect({ ...body, access_token: '' }).toEqual({
        access_token: '',
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'user_management data',
      });
      expect((await listWith(body.access_token)).status).toBe(200);
      const row = await house()
        .db.selectFrom('access_token')
        .select('expires_at')
        .where('token_hash', '=', hashSecret(body.access_token))
        .executeTakeFirstOrThrow();
      expect(Math.abs(row.expires_at.getTime() - Date.now() - 900_000)).toBeLessThan(10_000);
    },
  );

  test('holds no longer than that', async () => {
    const { body } = await ask(inForm());
    await house()
      .db.updateTable('access_token')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('client_id', '=', key.clientId)
      .execute();
    expect((await listWith(body.access_token)).status).toBe(401);
  });

  test('for some of the scopes it is good for these alone', async () => {
    const { body } = await ask(inForm({ scope: 'data' }));
    expect(body.scope).toBe('data');
    expect((await listWith(body.access_token)).status).toBe(403);
    expect((await ask(inForm({ scope: 'data data user_management' }))).body.scope).toBe(
      'data user_management',
    );
  });

  describe('errors are those of RFC 6749 5.2 and have message and requestId', () => {
    test('another or no grant', async () => {
      expect(await refused(inForm({ grant_type: 'password' }))).toEqual([400, 'unsupported_grant_type']);
      expect(await refused({ client_id: String(key.clientId) })).toEqual([400, 'invalid_request']);
    });

    test('a scope that the key does not have', async () => {
      for (const scope of ['backup', 'data backup', 'everything', 'DATA'])
        expect(await refused(inForm({ scope }))).toEqual([400, 'invalid_scope']);
    });

    test('a wrong secret, a wrong id, none at all', async () => {
      const wrongs: Record<string, string>[] = [
        { client_secret: `${key.secret}x` },
        { client_secret: '' },
        { client_id: '2147483647' },
        { client_id: '99999999999' },
        { client_id: 'x' },
        { client_id: '' },
      ];
      for (const wrong of wrongs) {
        expect(await refused(inForm(wrong))).toEqual([401, 'invalid_client']);
      }
      expect(await refused(GRANT)).toEqual([401, 'invalid_client']);
    });

    test('with HTTP Basic the 401 asks for Basic', async () => {
      for (const header of [
        basic(String(key.clientId), 'wrong'),
        { authorization: 'Basic !' },
        { authorization: 'Basic JTpi' },
        { authorization: 'Basic bm8gY29sb24=' },
      ]) {
        const { status, body } = await ask(GRANT, header);
        expect([status, body.error]).toEqual([401, 'invalid_client']);
      }
      expect((await ask(GRANT, basic('1', 'wrong'))).headers['www-authenticate']).toBe(
        'Basic realm="steward"',
      );
    });

    test('a parameter that is given twice', async () => {
      const { status, body } = await ask(`${encode(inForm())}&scope=data&scope=backup`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    });
  });

  test('only a form is read: JSON is 415', async () => {
    expect((await ask(JSON.stringify(inForm()), { 'content-type': 'application/json' })).status).toBe(415);
  });

  test('parameters that nobody knows are ignored (RFC 6749 3.2)', async () => {
    expect((await ask(inForm({ colour: 'red', __proto__x: '1' }))).status).toBe(200);
  });

  test('a key turned off issues nothing, and its tokens end at once (spec 5.3)', async () => {
    const { body } = await ask(inForm());
    await turnOff();
    expect((await ask(inForm())).status).toBe(401);
    expect((await listWith(body.access_token)).status).toBe(401);
  });

  test('a user with IP restrictions gets no token at an address that is not approved (spec 5.4)', async () => {
    const { db } = house();
    await db
      .updateTable('membership')
      .set({ ip_restrictions_enabled: true })
      .where('user_id', '=', person.userId)
      .execute();
    expect((await ask(inForm())).status).toBe(401);
    await db
      .insertInto('approved_address')
      .values({ site_id: person.siteId, network: '127.0.0.0/8' })
      .execute();
    expect((await ask(inForm())).status).toBe(200);
  });

  test('a form of very many fields is refused before anything is made of it (T17)', async () => {
    const body = Array.from({ length: 21 }, (_, index) => `f${index}=1`).join('&');
    expect((await ask(body)).status).toBe(413);
    expect((await ask(`grant_type=client_credentials&padding=${'x'.repeat(20_000)}`)).status).toBe(413);
  });

  test('a user who may not act gets no token', async () => {
    for (const values of [
      { is_active: false },
      { is_active: true, license_type_id: 4 },
      { license_type_id: 1, expires_at: new Date(Date.now() - 1) },
    ]) {
      await house().db.updateTable('membership').set(values).where('user_id', '=', person.userId).execute();
      expect((await ask(inForm())).status).toBe(401);
    }
  });

  const count = (name: string, number: number) =>
    house()
      .db.insertInto('throttle')
      .values({ key: name, count: number, window_started_at: new Date() })
      .onConflict((on) => on.column('key').doUpdateSet({ count: number }))
      .execute();

  describe('at most 300 calls a minute for one user (shapes 1)', () => {
    test('the next one is 429 with Retry-After, until the minute is over', async () => {
      await count(`token:${key.clientId}`, 299);
      expect((await ask(inForm())).status).toBe(200);
      const { status, headers } = await ask(inForm());
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      await house()
        .db.updateTable('throttle')
        .set({ window_started_at: new Date(Date.now() - 61_000) })
        .where('key', '=', `token:${key.clientId}`)
        .execute();
      expect((await ask(inForm())).status).toBe(200);
    });

    test('wrong secrets count against their sender, not against the owner of the key', async () => {
      await count(`token:${key.clientId}:127.0.0.1`, 300);
      expect((await ask(inForm({ client_secret: 'wrong' }))).status).toBe(429);
      expect((await ask(inForm())).status).toBe(200);
    });
  });
});
