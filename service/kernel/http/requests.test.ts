import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiClient, send, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const USER = '/api/rest/v1/management/user';

const createUserBody = () => ({ email: `a.${crypto.randomUUID()}@b.test`, firstName: 'A', lastName: 'B' });
const getErrorPaths = ({ body }: { body: ErrorBody }) => body.errors?.map(({ path }) => path);
const nestArrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const createJson = (keyCount: number) =>
  `{${Array.from({ length: keyCount }, (_, index) => `"k${index}":1`).join()}}`;

onEachApp((context) => {
  let admin: Person;
  let api: ApiClient;
  beforeAll(async () => {
    admin = await makePerson(context().db, await makeSite(context().db));
    api = as(context().app, admin);
  });

  /** POST /user with exactly this media type and body. */
  const post = (type: string | undefined, payload: string | Buffer, headers: Record<string, string> = {}) =>
    send<ErrorBody>(context().app, {
      method: 'POST',
      url: USER,
      payload,
      headers: { authorization: `Bearer ${admin.token}`, ...(type && { 'content-type': type }), ...headers },
    });

  const postNested = async (depth: number) =>
    (await post('application/json', nestArrays(depth))).body.message;

  test.each([
    ['58030', 503],
    ['53200', 503],
    ['53400', 503],
    ['57014', 503],
    ['40P01', 503],
    ['53100', 507],
    ['54000', 500],
  ])('a request that the database fails with %s gets %d', async (code, status) => {
    const { db } = context();
    await sql`create function fail_account() returns trigger language plpgsql as $$
      begin raise exception 'failed' using errcode = ${sql.lit(code)}; end $$`.execute(db);
    await sql`create trigger fail_account before insert on account
      for each row execute function fail_account()`.execute(db);
    try {
      const reply = await post('application/json', JSON.stringify(createUserBody()));
      expect(reply.status).toBe(status);
      expect(Number(reply.headers['retry-after'] ?? 0) > 0).toBe(status === 503);
    } finally {
      await sql`drop trigger fail_account on account`.execute(db);
      await sql`drop function fail_account()`.execute(db);
    }
  });

  describe('media types (spec 4.1)', () => {
    test.each([
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON',
      'text/json',
      'application/json-patch+json',
      'application/vnd.steward.v1+json',
      'application/merge-patch+json; charset=utf-8',
    ])('accepts %s', async (type) => {
      expect((await post(type, JSON.stringify(createUserBody()))).status).toBe(200);
    });

    test.each([
      undefined,
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'json',
      'text/html+json',
      '',
    ])('rejects %s with 415', async (type) => {
      expect((await post(type, JSON.stringify(createUserBody()))).status).toBe(415);
    });

    test('compresses responses of 1 KiB and more, and smaller ones never', async () => {
      const headers = { 'accept-encoding': 'gzip, br' };
      const large = await context().app.inject({ url: '/api/current/openapi.json', headers });
      expect([large.headers['content-encoding'], large.headers['vary']]).toEqual(['br', 'accept-encoding']);
      expect(JSON.parse(brotliDecompressSync(large.rawPayload).toString())).toMatchObject({
        openapi: '3.1.0',
      });
      const small = await context().app.inject({ url: '/healthz', headers });
      expect([small.headers['content-encoding'], small.body]).toEqual([undefined, '{"status":"ok"}']);
    });

    test('rejects a compressed body with 415 (T17)', async () => {
      const { status } = await post('application/json', gzipSync(JSON.stringify(createUserBody())), {
        'content-encoding': 'gzip',
      });
      expect(status).toBe(415);
    });

    test('ignores Content-Encoding of a request without a body', async () => {
      const { status } = await api.get('user/group', { headers: { 'content-encoding': 'gzip' } });
      expect(status).toBe(200);
    });

    test.each([
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['application/json', 'application/json'],
      ['text/plain', 'text/plain'],
      ['text/json', 'text/json'],
      ['TEXT/JSON', 'text/json'],
      ['text/plain;q=0.5, text/json;q=0.9', 'text/json'],
      ['text/html, application/json;q=0.1', 'application/json'],
      ['image/png', 'application/json'],
    ])('responds to Accept %s with %s, also for errors (spec 4.1 rule 2)', async (accept, type) => {
      const options = accept === undefined ? {} : { headers: { accept } };
      for (const path of ['user', 'user/2147483647']) {
        const { headers, text } = await api.get(path, options);
        expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
        expect(() => JSON.parse(text)).not.toThrow();
      }
    });
  });

  describe('case-insensitive names (shapes 1)', () => {
    test('of properties at every depth', async () => {
      const { email, firstName, lastName } = createUserBody();
      const { status, body: id } = await api.post<number>('user', {
        EMAIL: email,
        FirstName: firstName,
        lastname: lastName,
        TwoFactorEnabled: true,
      });
      expect(status).toBe(200);
      expect((await api.get(`user/${id}`)).body).toMatchObject({ email, twoFactorEnabled: true });
      expect(
        (await api.put('user/group', [{ UserIDs: [id], GROUPIDS: [admin.groupId] }])).status,
      ).toBeLessThan(300);
    });

    test('of paths and query parameters', async () => {
      const replies = await Promise.all([
        api.get('/API/REST/V1/Management/User?PAGESIZE=1'),
        api.get('USER/?pagesize=1'),
        api.get(`UserLicense/${admin.userId}`),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(replies[0].body).toHaveLength(1);
    });

    test('rejects a property given in two spellings', async () => {
      const reply = await api.post<ErrorBody>('user', { ...createUserBody(), Email: 'x@y.test' });
      expect(getErrorPaths(reply)).toEqual(['email']);
      expect(getErrorPaths(await api.get<ErrorBody>('user?pageSize=1&PageSize=2'))).toEqual(['pageSize']);
    });
  });

  describe('error responses', () => {
    test('list all validation errors with their paths', async () => {
      const reply = await api.post<ErrorBody>('user', {
        email: 'no',
        firstName: 1,
        groups: [1, 'x', 0],
        isActive: 'yes',
        colour: 'red',
      });
      expect(reply.status).toBe(400);
      expect(getErrorPaths(reply)?.toSorted()).toEqual([
        'colour',
        'email',
        'firstName',
        'groups.1',
        'groups.2',
        'isActive',
        'lastName',
      ]);
    });

    test('have a message and the request id of the header, and no internals', async () => {
      const replies = [
        await api.get<ErrorBody>('user/2147483647'),
        await api.get<ErrorBody>('nowhere'),
        await api.get<ErrorBody>('user?pageSize=0'),
        await createApiClient(context().app, '', {}).get<ErrorBody>('user'),
        await post('application/json', '{'),
        await post('text/plain', 'x'),
      ];
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 400, 401, 400, 415]);
      for (const { body, headers, text } of replies) {
        expect(body.message).toMatch(/\w/);
        expect(body.requestId).toBe(headers['x-request-id']);
        expect(body.requestId).toMatch(/^[\da-f-]{36}$/);
        expect(text).not.toMatch(/stack|node_modules|select |\.ts/i);
        expect(headers['cache-control']).toBe('no-store');
      }
      expect(new Set(replies.map(({ body }) => body.requestId)).size).toBe(replies.length);
    });

    test('success responses have a request id and are not cached', async () => {
      const { headers } = await api.get('user');
      expect(String(headers['x-request-id'])).toMatch(/^[\da-f-]{36}$/);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    });

    test.each(['', '{', '[', 'null', '"x"', '1', '[]', '{"email":}', '\u0000', '{"email":"a@b.test",}'])(
      'rejects the body %j',
      async (payload) => {
        expect((await post('application/json', payload)).status).toBe(400);
      },
    );

    test('rejects ids beyond int32 in bodies', async () => {
      for (const id of [2_147_483_648, -2_147_483_649, 0, 1e300]) {
        expect(getErrorPaths(await api.put<ErrorBody>('user', { id, lastName: 'X' }))).toEqual(['id']);
      }
      expect((await api.put('user', '{"id":1e999}')).status).toBe(400);
    });

    test('rejects unstorable texts in bodies and queries', async () => {
      for (const firstName of ['A\u0000B', 'A\ud800B', '\udc00']) {
        const reply = await api.post<ErrorBody>('user', { ...createUserBody(), firstName });
        expect(getErrorPaths(reply)).toEqual(['firstName']);
      }
      expect((await api.get('user?email=a%00b@c.test')).status).toBe(400);
      expect((await api.post('user/group', { name: 'A\u0000' })).status).toBe(400);
      expect(
        (
          await createApiClient(context().app, '/console', { 'x-steward-console': '1' }).post(
            '/api/session',
            {
              email: 'a\u0000@b.test',
              password: 'x',
            },
          )
        ).status,
      ).toBe(400);
    });

    test('stores every other text unchanged', async () => {
      const firstName = '𝔄 😀 Ünï \u202e "\'\\ <script> %00 $1 ; drop table account';
      const { body: id } = await api.post<number>('user', { ...createUserBody(), firstName });
      expect((await api.get(`user/${id}`)).body).toMatchObject({ firstName });
    });
  });

  describe('limits before parsing (T17, T18)', () => {
    test('rejects a body larger than 1 MiB with 413', async () => {
      expect((await post('application/json', `{"email":"${'x'.repeat(1_048_576)}"}`)).status).toBe(413);
    });

    test('rejects nesting deeper than 32 levels, not counting brackets inside texts', async () => {
      expect(await postNested(33)).toMatch(/more than 32 levels deep/);
      expect(await postNested(100_000)).toMatch(/more than 32 levels deep/);
      expect(await postNested(32)).not.toMatch(/deep/);
      const { status } = await api.post('user', { ...createUserBody(), firstName: '[{"\\'.repeat(20) });
      expect(status).toBe(200);
    });

    test('rejects more than 250,000 objects, lists and properties with 413', async () => {
      const { status, body } = await post('application/json', `[${'[],'.repeat(300_000)}[]]`);
      expect([status, body.message]).toEqual([
        413,
        'The body has more than 250000 objects, lists and properties',
      ]);
      expect((await post('application/json', createJson(50_000))).status).toBe(400);
    });

    test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
      'rejects the name %s in bodies and queries',
      async (name) => {
        for (const value of ['1', '{}', '{"prototype":{"isAdmin":true}}', '{"isAdmin":true}']) {
          expect(
            (
              await post(
                'application/json',
                `{"email":"a@b.test","firstName":"A","lastName":"B","${name}":${value}}`,
              )
            ).status,
          ).toBe(400);
        }
        expect((await api.get(`user?${name}=1`)).status).toBe(400);
        expect((await api.get(`user?${name}=1&${name}=2`)).status).toBe(400);
      },
    );
  });

  test('rejects AS-USER without an assignment with 401 (shapes 1)', async () => {
    expect((await api.get('user', { headers: { 'as-user': String(admin.userId) } })).status).toBe(401);
  });

  test('serves health checks and the API description without credentials', async () => {
    const anonymous = createApiClient(context().app, '', {});
    const replies = await Promise.all([
      anonymous.get('/healthz'),
      anonymous.get('/readyz'),
      anonymous.get('/api/current/openapi.json'),
      anonymous.get('/api/current'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(replies[2].body).toMatchObject({ info: { title: 'current', version: 'current' } });
  });
});
