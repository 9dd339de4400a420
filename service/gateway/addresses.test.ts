/** Approved addresses (spec 5.4), and whose word counts for where a request comes from (T09). */
import { beforeEach, describe, expect, test } from 'vitest';
import { callsWith, send, type Refusal } from '../testing/calls.ts';
import { cheapHash } from '../testing/sign-in.ts';
import { as, contract, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);

const approve = (networks: readonly string[], siteId: number) =>
  networks.map((network) => ({ site_id: siteId, network }));

onEachApp((house) => {
  let person: Person;
  beforeEach(async () => {
    const siteId = await makeSite(house().db);
    person = await makePerson(house().db, siteId, {
      ipRestrictionsEnabled: true,
      passwordHash,
    });
    await house()
      .db.insertInto('approved_address')
      .values(approve(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'], siteId))
      .execute();
  });

  const signIn = (remoteAddress: string, password = PASSWORD) =>
    callsWith(house().app, '/console', { 'x-steward-console': '1' }).post<Refusal>(
      '/api/session',
      { email: person.email, password },
      { remoteAddress },
    );
  const from = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const replies = await Promise.all(
      (['program', 'console'] as const).map((door) =>
        as(house().app, person, door).get<Refusal>('user', { remoteAddress, headers }),
      ),
    );
    return replies.map(({ status }) => status);
  };

  test.each([
    '192.0.2.1',
    '192.0.2.254',
    '198.51.100.7',
    '::ffff:192.0.2.1',
    '::FFFF:198.51.100.7',
    '2001:db8::1',
    '2001:DB8:0:0::1',
  ])('%s is approved', async (address) => {
    expect(await from(address)).toEqual([200, 200]);
  });

  test.each([
    '192.0.3.1',
    '198.51.100.8',
    '::ffff:192.0.3.1',
    '2001:db9::1',
    '127.0.0.1',
    '::1',
    '::192.0.2.1',
    '0.0.0.0',
  ])('%s is not: 403 that names it', async (address) => {
    expect(await from(address)).toEqual([403, 403]);
    const { body } = await as(house().app, person).get<Refusal>('user', { remoteAddress: address });
    expect(body.message).toContain(address.replace('::ffff:', ''));
  });

  test.each(['program', 'console'] as const)(
    'nothing at all is done or handed out from elsewhere (%s)',
    async (door) => {
      const { operations } = contract;
      const asked = operations.filter(({ access, consoleOnly }) =>
        door === 'console' ? access !== 'public' : access === 'bearer' && !consoleOnly,
      );
      expect(asked.length).toBeGreaterThan(50);
      const prefix = door === 'console' ? '/console' : '';
      const headers =
        door === 'console'
          ? { cookie: `steward=${person.cookie}`, 'x-steward-console': '1' }
          : { authorization: `Bearer ${person.token}` };
      for (const { id, method, url } of asked) {
        const reply = await send<Refusal>(house().app, {
          method,
          url: prefix + url.replaceAll(/:\w+/g, '1'),
          headers,
          remoteAddress: '203.0.113.9',
        });
        expect([id, reply.status]).toEqual([id, 403]);
        expect(reply.body.message).toContain('203.0.113.9');
      }
    },
  );

  test('nobody is believed who says where they come from, unless it is a trusted proxy', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip']) {
      expect(
        await from('203.0.113.9', { [name]: name === 'forwarded' ? 'for=192.0.2.1' : '192.0.2.1' }),
      ).toEqual([403, 403]);
    }
  });

  test('sign-in asks as well, and only after the password', async () => {
    expect((await signIn('203.0.113.9', 'wrong')).status).toBe(401);
    expect((await signIn('203.0.113.9')).status).toBe(403);
    expect((await signIn('192.0.2.1')).status).toBe(200);
  });

  test('with no approved address nobody with the restriction gets in; without it everybody does', async () => {
    await house().db.deleteFrom('approved_address').where('site_id', '=', person.siteId).execute();
    expect(await from('192.0.2.1')).toEqual([403, 403]);
    await house()
      .db.updateTable('membership')
      .set({ ip_restrictions_enabled: false })
      .where('user_id', '=', person.userId)
      .execute();
    expect(await from('203.0.113.9')).toEqual([200, 200]);
  });

  test('an address that another site approved does not count here', async () => {
    await house()
      .db.insertInto('approved_address')
      .values(approve(['203.0.113.0/24'], await makeSite(house().db)))
      .execute();
    expect(await from('203.0.113.9')).toEqual([403, 403]);
  });
});

describe('behind trusted proxies (TRUSTED_PROXIES)', () => {
  onEachApp(
    (house) => {
      let person: Person;
      beforeEach(async () => {
        const siteId = await makeSite(house().db);
        person = await makePerson(house().db, siteId, { ipRestrictionsEnabled: true });
        await house()
          .db.insertInto('approved_address')
          .values(approve(['192.0.2.1'], siteId))
          .execute();
      });
      const from = async (remoteAddress: string, forwarded: string) =>
        (
          await as(house().app, person).get('user', {
            remoteAddress,
            headers: { 'x-forwarded-for': forwarded },
          })
        ).status;

      test.each([
        ['10.0.0.1', '192.0.2.1'],
        ['10.9.9.9', '192.0.2.1'],
        ['::ffff:10.0.0.1', '192.0.2.1'],
        ['10.0.0.1', '::ffff:192.0.2.1'],
        ['10.0.0.1', '203.0.113.9, 192.0.2.1'],
        ['10.0.0.1', '192.0.2.1, 10.0.0.2'],
      ])('the proxy %s is believed about %s', async (proxy, forwarded) => {
        expect(await from(proxy, forwarded)).toBe(200);
      });

      test.each([
        ['203.0.113.9', '192.0.2.1'],
        ['10.0.0.1', '192.0.2.1, 203.0.113.9'],
        ['10.0.0.1', '192.0.2.1, unknown'],
        ['10.0.0.1', 'garbage'],
        ['10.0.0.1', '192.0.2.1:80'],
        ['10.0.0.1', "192.0.2.1'; drop table site"],
        ['10.0.0.1', ''],
      ])('from %s the word "%s" lets nobody in, and breaks nothing', async (peer, forwarded) => {
        expect(await from(peer, forwarded)).toBe(403);
      });

      test('garbage from a proxy is 4xx where one turns the restriction on for oneself', async () => {
        const admin = await makePerson(house().db, person.siteId);
        const { status } = await as(house().app, admin).put(
          'user',
          { id: admin.userId, ipRestrictionsEnabled: true },
          { remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': 'garbage' } },
        );
        expect(status).toBe(400);
      });
    },
    { trustedProxies: ['10.0.0.0/8'] },
  );
});
