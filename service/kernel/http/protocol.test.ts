/** HTTP itself: methods, conditional reads, and parameters as texts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { send, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import {
  as,
  consoleOperations,
  contract,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;

onEachApp((context) => {
  let admin: Person;
  let api: ApiClient;
  beforeAll(async () => {
    admin = await makePerson(context().db, await makeSite(context().db));
    api = as(context().app, admin);
  });

  const read = (path: string, etag: unknown) => api.get(path, { headers: { 'if-none-match': String(etag) } });

  describe('a method that a path does not have (shapes 1)', () => {
    test('is 405 with Allow, on every path of both interfaces', async () => {
      const wrong: [string, string, number, unknown][] = [];
      const surfaces = [
        { prefix: '', operations: contract.operations.filter((each) => !each.isConsoleOnly) },
        { prefix: '/console', operations: consoleOperations },
      ];
      let checked = 0;
      for (const { prefix, operations } of surfaces) {
        for (const [url, ofUrl] of Map.groupBy(operations, (operation) => operation.url)) {
          const allowed = new Set<string>(ofUrl.map(({ method }) => method));
          for (const method of METHODS.filter((each) => !allowed.has(each))) {
            const { status, headers } = await send(context().app, {
              method,
              url: prefix + url.replaceAll(/:\w+/g, '7'),
            });
            const listed = String(headers['allow'])
              .split(', ')
              .filter((each) => each !== 'HEAD');
            const isRight = status === 405 && new Set(listed).symmetricDifference(allowed).size === 0;
            if (!isRight) wrong.push([method, prefix + url, status, headers['allow']]);
            checked += 1;
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(checked).toBeGreaterThan(500);
    });

    test('has the error body, and is found before the body is read', async () => {
      const { status, body, headers } = await send<ErrorBody>(context().app, {
        method: 'PUT',
        url: '/api/rest/v1/management/user/7',
        headers: { 'content-type': 'text/plain' },
        payload: 'x',
      });
      expect([status, body.message]).toEqual([
        405,
        'This address does not accept PUT, only GET, HEAD, DELETE',
      ]);
      expect(body.requestId).toBe(headers['x-request-id']);
    });
  });

  test.each([
    ['is no JSON', 'application/json', '{'],
    ['is too long', 'application/json', ' '.repeat(2_000_000)],
    ['is of another type', 'text/plain', 'x'],
  ])('an unknown path is 404, also with a body that %s', async (_name, type, payload) => {
    const { status, body, headers } = await send<ErrorBody>(context().app, {
      method: 'POST',
      url: '/api/rest/v1/management/usr?a=b',
      headers: { 'content-type': type },
      payload,
    });
    expect([status, body.message]).toEqual([404, 'POST /api/rest/v1/management/usr does not exist']);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body.requestId).toBe(headers['x-request-id']);
  });

  describe('If-None-Match (shapes 1)', () => {
    test('a read of an unchanged resource is 304 without a body', async () => {
      const job = await api.post<{ id: number }>('jobs/userUpdates', {
        userIds: [admin.userId],
        isActive: true,
        notBefore: '2100-01-01T00:00:00Z',
      });
      for (const path of [
        `jobs/${job.body.id}`,
        `/api/rest/v1/publication/subscribers/${admin.clientId}`,
        `user/${admin.userId}`,
        `user/group/${admin.groupId}`,
        `userLicense/${admin.userId}`,
      ]) {
        const first = await api.get(path);
        const etag = String(first.headers.etag);
        const second = await read(path, etag);
        expect([path, second.status, second.text, second.headers.etag]).toEqual([path, 304, '', etag]);
        expect((await read(path, `"other", W/${etag}`)).status).toBe(304);
        expect((await read(path, '*')).status).toBe(304);
        expect((await read(path, '"other"')).status).toBe(200);
      }
    });

    test('every read of a single resource answers it', () => {
      const reads = contract.operations.filter(
        ({ method, url, returnsFile }) => method === 'GET' && /\/:\w+$/.test(url) && !returnsFile,
      );
      expect(reads.length).toBeGreaterThan(15);
      const missing = reads.filter(({ isConditional }) => !isConditional).map(({ id }) => id);
      // The rows of an entry type.
      expect(missing).toEqual(['queryRows']);
    });

    test('a change of anything in the body ends it, also of what the version does not cover', async () => {
      const path = `user/group/${admin.groupId}`;
      const { etag } = (await api.get(path)).headers;
      const other = await makePerson(context().db, admin.siteId);
      await api.put('user/group', [{ userIds: [other.userId], groupIds: [admin.groupId] }]);
      const after = await read(path, etag);
      expect([after.status, after.body]).toMatchObject([200, { userCount: 2 }]);
    });

    test('the tag of a read still serves If-Match', async () => {
      const { etag } = (await api.get(`user/${admin.userId}`)).headers;
      const headers = { 'if-match': String(etag) };
      const change = (lastName: string) => api.put('user', { id: admin.userId, lastName }, { headers });
      expect((await change('Once')).status).toBe(200);
      expect((await change('Twice')).status).toBe(412);
    });

    test('lists have no tag, and their reads are never 304', async () => {
      expect((await read('user', '*')).status).toBe(200);
    });
  });

  describe('parameters', () => {
    test.each(['5.0', '5.', '1e1', '0x5', ' 5', '5,0'])('pageSize=%s is 400', async (text) => {
      expect((await api.get(`user?pageSize=${encodeURIComponent(text)}`)).status).toBe(400);
    });

    test.each(['true', 'True', 'TRUE', 'false', 'False'])('isBillable=%s is a boolean', async (text) => {
      const { status, body } = await api.get(`userLicenses?isBillable=${text}`);
      expect([status, body]).toEqual([
        200,
        (await api.get(`userLicenses?isBillable=${text.toLowerCase()}`)).body,
      ]);
    });

    test.each(['yes', '1', 'truee', ''])('isBillable=%s is 400', async (text) => {
      expect((await api.get(`userLicenses?isBillable=${text}`)).status).toBe(400);
    });
  });
});
