import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { callsWith, send, type Calls, type Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const USER = '/api/rest/v1/management/user';

const ada = () => ({ email: `a.${crypto.randomUUID()}@b.test`, firstName: 'A', lastName: 'B' });
const paths = ({ body }: { body: Refusal }) => body.errors?.map(({ path }) => path);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;

onEachApp((house) => {
  let admin: Person;
  let api: Calls;
  beforeAll(async () => {
    admin = await makePerson(house().db, await makeSite(house().db));
    api = as(house().app, admin);
  });

  /** POST /user with the body and media type just so. */
  const post = (type: string | undefined, payload: string | Buffer, headers: Record<string, string> = {}) =>
    send<Refusal>(house().app, {
      method: 'POST',
      url: USER,
      payload,
      headers: { authorization: `Bearer ${admin.token}`, ...(type && { 'content-type': type }), ...headers },
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
    ])('%s is read', async (type) => {
      expect((await post(type, JSON.stringify(ada()))).status).toBe(200);
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
    ])('%s is 415', async (type) => {
      expect((await post(type, JSON.stringify(ada()))).status).toBe(415);
    });

    test('a compressed body is 415: nothing is unpacked (T17)', async () => {
      const { status } = await post('application/json', gzipSync(JSON.stringify(ada())), {
        'content-encoding': 'gzip',
      });
      expect(status).toBe(415);
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
    ])('Accept %s is answered in %s, errors as well (spec 4.1 rule 2)', async (accept, type) => {
      const options = accept === undefined ? {} : { headers: { accept } };
      for (const path of ['user', 'user/2147483647']) {
        const { headers, text } = await api.get(path, options);
        expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
        expect(() => JSON.parse(text)).not.toThrow();
      }
    });
  });

  describe('names without regard to case (shapes 1)', () => {
    test('of properties, at every depth', async () => {
      const { email, firstName, lastName } = ada();
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

    test('of paths and queries', async () => {
      const answers = await Promise.all([
        api.get('/API/REST/V1/Management/User?PAGESIZE=1'),
        api.get('USER/?pagesize=1'),
        api.get(`UserLicense/${admin.userId}`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers[0].body).toHaveLength(1);
    });

    test('one name in two spellings is refused, never chosen', async () => {
      expect(paths(await api.post<Refusal>('user', { ...ada(), Email: 'x@y.test' }))).toEqual(['email']);
      expect(paths(await api.get<Refusal>('user?pageSize=1&PageSize=2'))).toEqual(['pageSize']);
    });
  });

  describe('refusals', () => {
    test('all faults at once, each at its path', async () => {
      const refused = await api.post<Refusal>('user', {
        email: 'no',
        firstName: 1,
        groups: [1, 'x', 0],
        isActive: 'yes',
        colour: 'red',
      });
      expect(refused.status).toBe(400);
      expect(paths(refused)?.toSorted()).toEqual([
        'colour',
        'email',
        'firstName',
        'groups.1',
        'groups.2',
        'isActive',
        'lastName',
      ]);
    });

    test('have message and requestId, which is that of the header; nothing of the inside', async () => {
      const refusals = [
        await api.get<Refusal>('user/2147483647'),
        await api.get<Refusal>('nowhere'),
        await api.get<Refusal>('user?pageSize=0'),
        await callsWith(house().app, '', {}).get<Refusal>('user'),
        await post('application/json', '{'),
        await post('text/plain', 'x'),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([404, 404, 400, 401, 400, 415]);
      for (const { body, headers, text } of refusals) {
        expect(body.message).toMatch(/\w/);
        expect(body.requestId).toBe(headers['x-request-id']);
        expect(body.requestId).toMatch(/^[\da-f-]{36}$/);
        expect(text).not.toMatch(/stack|node_modules|select |\.ts/i);
        expect(headers['cache-control']).toBe('no-store');
      }
      expect(new Set(refusals.map(({ body }) => body.requestId)).size).toBe(refusals.length);
    });

    test('a success has a request id and is not kept by caches', async () => {
      const { headers } = await api.get('user');
      expect(String(headers['x-request-id'])).toMatch(/^[\da-f-]{36}$/);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    });

    test.each(['', '{', '[', 'null', '"x"', '1', '[]', '{"email":}', '\u0000', '{"email":"a@b.test",}'])(
      '%j is no body',
      async (payload) => {
        expect((await post('application/json', payload)).status).toBe(400);
      },
    );

    test('ids beyond int32 are 400 in bodies too', async () => {
      for (const id of [2_147_483_648, -2_147_483_649, 0, 1e300]) {
        expect(paths(await api.put<Refusal>('user', { id, lastName: 'X' }))).toEqual(['id']);
      }
      expect((await api.put('user', '{"id":1e999}')).status).toBe(400);
    });

    test('texts that cannot be stored are 400, wherever they stand', async () => {
      for (const bad of ['A\u0000B', 'A\ud800B', '\udc00']) {
        expect(paths(await api.post<Refusal>('user', { ...ada(), firstName: bad }))).toEqual(['firstName']);
      }
      expect((await api.get('user?email=a%00b@c.test')).status).toBe(400);
      expect((await api.post('user/group', { name: 'A\u0000' })).status).toBe(400);
      expect(
        (
          await callsWith(house().app, '/console', { 'x-steward-console': '1' }).post('/api/session', {
            email: 'a\u0000@b.test',
            password: 'x',
          })
        ).status,
      ).toBe(400);
    });

    test('every other text is kept as it is', async () => {
      const firstName = '𝔄 😀 Ünï \u202e "\'\\ <script> %00 $1 ; drop table account';
      const { body: id } = await api.post<number>('user', { ...ada(), firstName });
      expect((await api.get(`user/${id}`)).body).toMatchObject({ firstName });
    });
  });

  describe('bounds before parsing (T17, T18)', () => {
    test('a body over 1 MiB is 413', async () => {
      expect((await post('application/json', `{"email":"${'x'.repeat(1_048_576)}"}`)).status).toBe(413);
    });

    test('depth over 32 is 400, whatever stands in texts', async () => {
      expect((await post('application/json', nested(33))).body.message).toMatch(/deeper than 32/);
      expect((await post('application/json', nested(100_000))).body.message).toMatch(/deeper than 32/);
      expect((await post('application/json', nested(32))).body.message).not.toMatch(/deeper/);
      const harmless = await api.post('user', { ...ada(), firstName: '[{"\\'.repeat(20) });
      expect(harmless.status).toBe(200);
    });

    test('many thousand properties are 413', async () => {
      expect((await post('application/json', keys(11_000))).status).toBe(413);
      expect((await post('application/json', keys(9_000))).status).toBe(400);
    });

    test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
      'the name %s is refused in bodies and queries',
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

  test('AS-USER without an assignment is 401 (shapes 1)', async () => {
    expect((await api.get('user', { headers: { 'as-user': String(admin.userId) } })).status).toBe(401);
  });

  test('an operation that is not built is 501 with the error body', async () => {
    const { status, body } = await api.get('/api/rest/v4/templatereports');
    expect([status, body]).toMatchObject([501, { message: 'listReportTemplates is not built yet' }]);
  });

  test('health and the description are open to everybody', async () => {
    const anybody = callsWith(house().app, '', {});
    const answers = await Promise.all([
      anybody.get('/healthz'),
      anybody.get('/readyz'),
      anybody.get('/api/current/openapi.json'),
      anybody.get('/api/current'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[2].body).toMatchObject({ info: { title: 'current', version: 'current' } });
  });
});
