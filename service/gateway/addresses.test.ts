/** Approved addresses (spec 5.4), and which proxies are trusted about the client address (T09). */
import { beforeEach, describe, expect, test } from 'vitest';
import { createApiClient, send, type ErrorBody } from '../testing/calls.ts';
import { hashCheaply } from '../testing/sign-in.ts';
import {
  as,
  consoleOperations,
  contract,
  makeKey,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);

const toAddressRows = (networks: readonly string[], siteId: number) =>
  networks.map((network) => ({ site_id: siteId, network }));

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    const siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId, {
      ipRestrictionsEnabled: true,
      passwordHash,
    });
    await context()
      .db.insertInto('approved_address')
      .values(toAddressRows(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'], siteId))
      .execute();
  });

  const signIn = (remoteAddress: string, password = PASSWORD) =>
    createApiClient(context().app, '/console', { 'x-steward-console': '1' }).post<ErrorBody>(
      '/api/session',
      { email: person.email, password },
      { remoteAddress },
    );
  const listStatuses = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const replies = await Promise.all(
      (['program', 'console'] as const).map((door) =>
        as(context().app, person, door).get<ErrorBody>('user', { remoteAddress, headers }),
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
  ])('accepts the approved address %s', async (address) => {
    expect(await listStatuses(address)).toEqual([200, 200]);
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
  ])('rejects %s with 403 and names it', async (address) => {
    expect(await listStatuses(address)).toEqual([403, 403]);
    const { body } = await as(context().app, person).get<ErrorBody>('user', { remoteAddress: address });
    expect(body.message).toContain(address.replace('::ffff:', ''));
  });

  test.each(['program', 'console'] as const)(
    'rejects all operations from other addresses (%s)',
    async (door) => {
      const operationsOfSurface =
        door === 'console'
          ? consoleOperations.filter(({ access }) => access !== 'public')
          : contract.operations.filter(
              ({ access, isConsoleOnly: consoleOnly }) => access === 'bearer' && !consoleOnly,
            );
      expect(operationsOfSurface.length).toBeGreaterThan(50);
      const prefix = door === 'console' ? '/console' : '';
      const headers =
        door === 'console'
          ? { cookie: `steward=${person.cookie}`, 'x-steward-console': '1' }
          : { authorization: `Bearer ${person.token}` };
      for (const { id, method, url } of operationsOfSurface) {
        const reply = await send<ErrorBody>(context().app, {
          method,
          url: prefix + url.replaceAll(/:\w+/g, '1'),
          headers,
          remoteAddress: '203.0.113.9',
        });
        // Only the answer to a HEAD request has no text (`send`).
        const isNamed =
          ['streamJobs', 'streamTopicPositions'].includes(id) || reply.body.message.includes('203.0.113.9');
        expect([id, reply.status, isNamed]).toEqual([id, 403, true]);
      }
    },
  );

  test('ignores forwarding headers of clients that are not trusted proxies', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip']) {
      expect(
        await listStatuses('203.0.113.9', { [name]: name === 'forwarded' ? 'for=192.0.2.1' : '192.0.2.1' }),
      ).toEqual([403, 403]);
    }
  });

  test('names whom to ask, without e-mail addresses, only to who has signed in completely', async () => {
    const { db } = context();
    const makeNamed = async (name: string, options: Parameters<typeof makePerson>[2]) => {
      const { userId } = await makePerson(db, person.siteId, options);
      const names = { first_name: name, last_name: 'Approver' };
      await db.updateTable('account').set(names).where('user_id', '=', userId).execute();
    };
    await makeNamed('Gone', { isActive: false });
    await makeNamed('Guest', { capabilities: ['Manage Users'] });
    for (const name of ['Ada', 'Bea', 'Cem', 'Dee']) await makeNamed(name, {});
    const expected =
      'The address 203.0.113.9 is not approved on this site. Ask Ada Approver, Bea Approver, or Cem Approver, who can approve it.';
    for (const door of ['program', 'console'] as const) {
      const { body } = await as(context().app, person, door).get<ErrorBody>('user', {
        remoteAddress: '203.0.113.9',
      });
      expect(body.message).toBe(expected);
    }
    expect((await signIn('203.0.113.9')).body.message).toBe(expected);
    expect((await signIn('203.0.113.9', 'wrong')).body.message).not.toContain('Approver');
    // With the password alone, the second factor being owed.
    await context()
      .db.updateTable('membership')
      .set({ two_factor_enabled: true })
      .where('user_id', '=', person.userId)
      .execute();
    const { status, body } = await signIn('203.0.113.9');
    expect(status).toBe(403);
    expect(body.message).toBe(
      'The address 203.0.113.9 is not approved on this site. An administrator can approve it.',
    );
  });

  test('applies to sign-in, after the password check', async () => {
    expect((await signIn('203.0.113.9', 'wrong')).status).toBe(401);
    expect((await signIn('203.0.113.9')).status).toBe(403);
    expect((await signIn('192.0.2.1')).status).toBe(200);
  });

  test('without approved addresses restricted users are rejected and others accepted', async () => {
    await context().db.deleteFrom('approved_address').where('site_id', '=', person.siteId).execute();
    expect(await listStatuses('192.0.2.1')).toEqual([403, 403]);
    await context()
      .db.updateTable('membership')
      .set({ ip_restrictions_enabled: false })
      .where('user_id', '=', person.userId)
      .execute();
    expect(await listStatuses('203.0.113.9')).toEqual([200, 200]);
  });

  test('ignores approved addresses of other sites', async () => {
    await context()
      .db.insertInto('approved_address')
      .values(toAddressRows(['203.0.113.0/24'], await makeSite(context().db)))
      .execute();
    expect(await listStatuses('203.0.113.9')).toEqual([403, 403]);
  });
});

describe('behind trusted proxies (TRUSTED_PROXIES)', () => {
  onEachApp(
    (context) => {
      let person: Person;
      beforeEach(async () => {
        const siteId = await makeSite(context().db);
        person = await makePerson(context().db, siteId, { ipRestrictionsEnabled: true });
        await context()
          .db.insertInto('approved_address')
          .values(toAddressRows(['192.0.2.1'], siteId))
          .execute();
      });
      const from = async (remoteAddress: string, forwarded: string) =>
        (
          await as(context().app, person).get('user', {
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
      ])('trusts the proxy %s about %s', async (proxy, forwarded) => {
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
      ])('rejects a request from %s with X-Forwarded-For "%s"', async (peer, forwarded) => {
        expect(await from(peer, forwarded)).toBe(403);
      });

      const guessSecret = (forwarded: string) =>
        send(context().app, {
          method: 'POST',
          url: '/api/rest/v1/oauth/token',
          payload: 'grant_type=client_credentials&client_id=1&client_secret=x',
          remoteAddress: '10.0.0.1',
          headers: {
            'x-forwarded-for': forwarded,
            'content-type': 'application/x-www-form-urlencoded',
          },
        });

      test('says that the proxy reported no address, on every way in, and repeats nothing of the header', async () => {
        const options = { remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': 'garbage' } };
        const key = await makeKey(
          context().db,
          await makePerson(context().db, person.siteId, {
            ipRestrictionsEnabled: true,
          }).then(async (owner) => {
            await context()
              .db.updateTable('api_key')
              .set({ disabled_at: new Date() })
              .where('client_id', '=', owner.clientId)
              .execute();
            return owner;
          }),
        );
        const replies = [
          await as(context().app, person).get<ErrorBody>('user', options),
          await as(context().app, person, 'console').get<ErrorBody>('user', options),
          await send<ErrorBody>(context().app, {
            method: 'POST',
            url: '/api/rest/v1/oauth/token',
            payload: `grant_type=client_credentials&client_id=${key.clientId}&client_secret=${key.secret}`,
            remoteAddress: options.remoteAddress,
            headers: { ...options.headers, 'content-type': 'application/x-www-form-urlencoded' },
          }),
        ];
        for (const { status, body, text } of replies) {
          expect(status).toBe(403);
          expect(body.message).toContain('reported no valid address');
          expect(text).not.toContain('garbage');
        }
      });

      test('counts all invalid addresses as one in rate limits', async () => {
        const statuses: number[] = [];
        for (let index = 0; index < 31; index += 1)
          statuses.push((await guessSecret(`garbage-${index}`)).status);
        expect([statuses[29], statuses[30]]).toEqual([401, 429]);
      });

      test('rejects an unparseable address when users restrict themselves', async () => {
        const admin = await makePerson(context().db, person.siteId);
        const { status } = await as(context().app, admin).put(
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
