/** The guard of the browser's door against other sites (T02). */
import { beforeEach, expect, test } from 'vitest';
import { send, type Refusal } from '../testing/calls.ts';
import { contract, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

const own = { 'x-steward-console': '1' };

onEachApp((house) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    person = await makePerson(house().db, siteId);
  });

  const write = (headers: Record<string, string>, payload = '{"name":"Forged"}') =>
    send<Refusal>(house().app, {
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
    ['a foreign origin', { ...own, origin: 'http://evil.test' }],
    ['the origin null', { ...own, origin: 'null' }],
    ['another port', { ...own, origin: 'http://steward.test:81' }],
    ['a name that begins like ours', { ...own, origin: 'http://steward.test.evil.test' }],
    ['cross-site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['same-site', { ...own, 'sec-fetch-site': 'same-site' }],
    ['no site at all', { ...own, 'sec-fetch-site': 'none' }],
  ])('%s is 403 and changes nothing', async (_, headers) => {
    expect((await write(headers)).status).toBe(403);
    const groups = await house()
      .db.selectFrom('user_group')
      .select('name')
      .where('site_id', '=', siteId)
      .execute();
    expect(groups.map(({ name }) => name)).not.toContain('Forged');
  });

  test.each([{ origin: 'http://evil.test' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'no operation at all is done for %j',
    async (foreign) => {
      for (const { id, method, url } of contract.operations.filter(({ id: each }) => each !== 'issueToken')) {
        const { status } = await send(house().app, {
          method,
          url: `/console${url.replaceAll(/:\w+/g, '1')}`,
          headers: { cookie: `steward=${person.cookie}`, host: 'steward.test', ...own, ...foreign },
        });
        expect([id, status]).toEqual([id, 403]);
      }
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '%s, which a form can send, is 415',
    async (type) => {
      expect((await write({ ...own, 'content-type': type })).status).toBe(415);
    },
  );

  test('the console itself gets through', async () => {
    for (const headers of [own, { ...own, origin: 'http://steward.test', 'sec-fetch-site': 'same-origin' }]) {
      expect((await write(headers, JSON.stringify({ name: `Own ${crypto.randomUUID()}` }))).status).toBe(200);
    }
  });
});
