import { beforeEach, expect, test } from 'vitest';
import type { AddressRehearsal, ApprovedAddresses } from '../../../contract/generated/types.gen.ts';
import { insertRows } from '../../testing/activity.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings/addresses';

const daysAgo = (days: number) => Date.now() - days * 24 * 3600_000;

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(context().db, await makeSite(context().db), {});
  });
  const api = () => as(context().app, person, 'program');
  const putAddresses = (addresses: readonly object[], options = {}) =>
    api().put<ApprovedAddresses & ErrorBody>(PATH, { addresses }, options);
  const rehearse = async (body: object) =>
    (await api().post<AddressRehearsal>(`${PATH}/rehearsal`, body)).body;
  const restrict = (who: Person) =>
    context()
      .db.updateTable('membership')
      .set({ ip_restrictions_enabled: true })
      .where('site_id', '=', who.siteId)
      .where('user_id', '=', who.userId)
      .execute();

  const listAuditRows = () =>
    context()
      .db.selectFrom('audit_log')
      .select('changes')
      .where('site_id', '=', person.siteId)
      .where('action', '=', 'site.addresses')
      .execute();

  test('stores networks with host bits zero and reports whether the caller is approved', async () => {
    const { status, body } = await putAddresses([
      { network: '127.0.0.77/8', note: ' Here ' },
      { network: '2001:DB8:0:0::7/48' },
    ]);
    expect(status).toBe(200);
    expect(body.addresses.map(({ network, note }) => [network, note])).toEqual([
      ['127.0.0.0/8', 'Here'],
      ['2001:db8::/48', ''],
    ]);
    expect(body).toMatchObject({ yourAddress: '127.0.0.1', isYourAddressApproved: true, restrictedUsers: 0 });
    expect(await listAuditRows()).toEqual([
      { changes: { addresses: [[], ['127.0.0.0/8 Here', '2001:db8::/48']] } },
    ]);
    // The same list in another order is not a change.
    await putAddresses([{ network: '2001:db8::/48' }, { network: '127.0.0.0/8', note: 'Here' }]);
    expect(await listAuditRows()).toHaveLength(1);
  });

  test('reports every invalid or duplicate network and stores nothing', async () => {
    const { status, body } = await putAddresses([
      { network: '10.0.0.0/8' },
      { network: 'home' },
      { network: '::1/200' },
    ]);
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['addresses.1.network', 'addresses.2.network'],
    ]);
    const twice = await putAddresses([{ network: '10.0.0.0/8' }, { network: '10.9.9.9/8' }]);
    expect([twice.status, twice.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['addresses.1.network'],
    ]);
    expect((await api().get<ApprovedAddresses>(PATH)).body.addresses).toEqual([]);
  });

  test('rejects a list that would lock the caller out', async () => {
    await putAddresses([{ network: '127.0.0.1' }]);
    await restrict(person);
    const out = await putAddresses([{ network: '203.0.113.0/24' }]);
    expect([out.status, out.body.errors?.[0]?.message]).toEqual([400, expect.stringContaining('127.0.0.1')]);
    expect((await putAddresses([])).status).toBe(400);
    expect((await putAddresses([{ network: '127.0.0.0/8' }])).status).toBe(200);
  });

  test('keeps one administrator who can sign in', async () => {
    const { db } = context();
    const keeper = await makePerson(db, person.siteId, {
      capabilities: ['Manage Settings', 'Access Web Service'],
    });
    await putAddresses([{ network: '127.0.0.1' }]);
    await restrict(person);
    const emptied = await as(context().app, keeper, 'program').put<ErrorBody>(PATH, { addresses: [] });
    expect(emptied.status).toBe(409);
    expect((await api().get<ApprovedAddresses>(PATH)).body.addresses).toHaveLength(1);
  });

  test('rejects an update with a stale entity tag', async () => {
    const { headers } = await api().get(PATH);
    await putAddresses([{ network: '10.0.0.0/8' }]);
    const stale = await putAddresses([{ network: '192.0.2.0/24' }], {
      headers: { 'if-match': String(headers['etag']) },
    });
    expect(stale.status).toBe(412);
  });

  test('rehearses a list against the successful activity of the last 90 days', async () => {
    const { db } = context();
    const restricted = await makePerson(db, person.siteId, { ipRestrictionsEnabled: true });
    const row = { source: 1, principalId: null, exportKind: null };
    await insertRows(db, person.siteId, [
      { ...row, at: daysAgo(1), userId: person.userId, type: 1, ip: '198.51.100.4' },
      { ...row, at: daysAgo(80), userId: restricted.userId, type: 1, ip: '198.51.100.9' },
      { ...row, at: daysAgo(79), userId: restricted.userId, type: 9, ip: '198.51.100.9' },
      { ...row, at: daysAgo(2), userId: restricted.userId, type: 1, ip: '203.0.113.5' },
      // Refused sign-ins and activity older than 90 days do not count.
      { ...row, at: daysAgo(2), userId: restricted.userId, type: 2, ip: '192.0.2.1' },
      { ...row, at: daysAgo(93), userId: restricted.userId, type: 1, ip: '192.0.2.2' },
    ]);
    const { status, body } = await api().post<AddressRehearsal>(`${PATH}/rehearsal`, {
      addresses: ['203.0.113.0/24'],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ lockedOut: 1, wouldBeLockedOut: 1, restrictedUsers: 1 });
    expect(body.places.map(({ userId, ipAddress, count }) => [userId, ipAddress, count])).toEqual([
      [restricted.userId, '198.51.100.9', 2],
      [person.userId, '198.51.100.4', 1],
    ]);
    expect((await api().get<ApprovedAddresses>(PATH)).body.addresses).toEqual([]);
  });

  test('rehearses restricting some users against the stored list, with the networks to approve', async () => {
    const { db } = context();
    const [grace, henry, other] = await Promise.all(
      [1, 2, 3].map(() => makePerson(db, person.siteId, { capabilities: [] })),
    );
    if (!grace || !henry || !other) throw new Error('Three people are needed');
    await putAddresses([{ network: '127.0.0.0/8' }, { network: '203.0.113.0/24' }]);
    const row = { source: 1, principalId: null, exportKind: null, type: 1 };
    await insertRows(db, person.siteId, [
      { ...row, at: daysAgo(1), userId: grace.userId, ip: '203.0.113.5' },
      { ...row, at: daysAgo(2), userId: grace.userId, ip: '198.51.100.4' },
      { ...row, at: daysAgo(3), userId: henry.userId, ip: '198.51.100.77' },
      { ...row, at: daysAgo(4), userId: henry.userId, ip: '2001:db8::7' },
      { ...row, at: daysAgo(5), userId: other.userId, ip: '192.0.2.9' },
      { ...row, at: daysAgo(45), userId: grace.userId, ip: '192.0.2.1' },
    ]);
    const userIds = [grace.userId, henry.userId];
    const recent = await rehearse({ userIds, days: 30 });
    expect(recent).toMatchObject({ lockedOut: 0, wouldBeLockedOut: 2 });
    expect(recent.places.map(({ userId, ipAddress }) => [userId, ipAddress])).toEqual([
      [grace.userId, '198.51.100.4'],
      [henry.userId, '198.51.100.77'],
      [henry.userId, '2001:db8::7'],
    ]);
    expect(recent.suggestions.map(({ network, users, count }) => [network, users, count])).toEqual([
      ['198.51.100.0/24', 2, 2],
      ['2001:db8::7', 1, 1],
    ]);
    // Ninety days by default; a network that the list gains is no longer outside.
    const all = await rehearse({ userIds, addresses: ['198.51.100.0/24', '2001:db8::/32'] });
    expect(all.suggestions.map(({ network }) => network)).toEqual(['192.0.2.1', '203.0.113.5']);
    expect((await rehearse({ days: 30 })).wouldBeLockedOut).toBe(3);
  });
});
