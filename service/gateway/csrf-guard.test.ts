/** Protection of the session API against requests of other websites (T02). */
import { beforeEach, expect, test } from 'vitest';
import { send, type ErrorBody } from '../testing/calls.ts';
import {
  consoleOperations,
  contract,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../testing/site.ts';

const CONSOLE_HEADERS = { 'x-steward-console': '1' };

onEachApp((context) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId);
  });

  const createGroup = (headers: Record<string, string>, payload = '{"name":"Forged"}') =>
    send<ErrorBody>(context().app, {
      method: 'POST',
      url: '/console/api/rest/v1/management/user/group',
      payload,
      headers: {
        cookie: `steward=${person.cookie}`,
        'content-type': 'application/json',
        host: 'steward.test',
        ...headers,
      },
    });

  test.each([
    ['no header', {}],
    ['another value', { 'x-steward-console': 'true' }],
    ['a foreign origin', { ...CONSOLE_HEADERS, origin: 'http://evil.test' }],
    ['the origin null', { ...CONSOLE_HEADERS, origin: 'null' }],
    ['another port', { ...CONSOLE_HEADERS, origin: 'http://steward.test:81' }],
    ['a name that begins like ours', { ...CONSOLE_HEADERS, origin: 'http://steward.test.evil.test' }],
    ['cross-site', { ...CONSOLE_HEADERS, 'sec-fetch-site': 'cross-site' }],
    ['same-site', { ...CONSOLE_HEADERS, 'sec-fetch-site': 'same-site' }],
    ['no site at all', { ...CONSOLE_HEADERS, 'sec-fetch-site': 'none' }],
  ])('rejects %s with 403 and changes nothing', async (_, headers) => {
    expect((await createGroup(headers)).status).toBe(403);
    const groups = await context()
      .db.selectFrom('user_group')
      .select('name')
      .where('site_id', '=', siteId)
      .execute();
    expect(groups.map(({ name }) => name)).not.toContain('Forged');
  });

  test.each([{ origin: 'http://evil.test' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'rejects all operations for %j',
    async (foreign) => {
      for (const { id, method, url } of consoleOperations) {
        const { status } = await send(context().app, {
          method,
          url: `/console${url.replaceAll(/:\w+/g, '1')}`,
          headers: {
            cookie: `steward=${person.cookie}`,
            host: 'steward.test',
            ...CONSOLE_HEADERS,
            ...foreign,
          },
        });
        expect([id, status]).toEqual([id, 403]);
      }
    },
  );

  test('no response lets pages of another origin read it, and no operation redirects (ASVS 3.4.2, 4.1.2)', async () => {
    const foreign = { host: 'steward.test', origin: 'http://evil.test', 'x-forwarded-proto': 'http' };
    const preflight = {
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    };
    const pages = [
      '/',
      '/livez',
      '/api/current/openapi.json',
      '/.well-known/oauth-protected-resource/agent',
      '/agent',
    ];
    const urls = contract.operations.map(({ url }) => url.replaceAll(/:\w+/g, '1'));
    const requests = [
      ...contract.operations.map(({ method, url }) => ({
        method,
        url: url.replaceAll(/:\w+/g, '1'),
        // Only what reads is sent with a right: the others would change something.
        headers: { ...foreign, ...(method === 'GET' && { authorization: `Bearer ${person.token}` }) },
      })),
      ...pages.map((url) => ({ method: 'GET' as const, url, headers: foreign })),
      ...[...new Set([...urls, ...urls.map((url) => `/console${url}`), ...pages])].map((url) => ({
        method: 'OPTIONS' as const,
        url,
        headers: { ...foreign, ...preflight },
      })),
    ];
    const wrong: unknown[] = [];
    for (const request of requests) {
      const { status, headers } = await send(context().app, request);
      const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
      if (names.length > 0 || (status >= 300 && status < 400)) wrong.push([request.url, status, names]);
    }
    expect(wrong).toEqual([]);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'rejects the form media type %s with 415',
    async (type) => {
      expect((await createGroup({ ...CONSOLE_HEADERS, 'content-type': type })).status).toBe(415);
    },
  );

  test('accepts requests of the console itself', async () => {
    for (const headers of [
      CONSOLE_HEADERS,
      { ...CONSOLE_HEADERS, origin: 'http://steward.test', 'sec-fetch-site': 'same-origin' },
    ]) {
      expect(
        (await createGroup(headers, JSON.stringify({ name: `Own ${crypto.randomUUID()}` }))).status,
      ).toBe(200);
    }
  });
});
