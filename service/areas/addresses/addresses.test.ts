import { beforeEach, expect, test } from 'vitest';
import type { AddressRehearsal, ApprovedAddresses } from '../../../contract/generated/types.gen.ts';
import { writeRows } from '../../testing/activity.ts';
import type { Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings/addresses';

const at = (days: number) => Date.now() - days * 24 * 3600_000;

onEachApp((house) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(house().db, await makeSite(house().db), {});
  });
  const api = () => as(house().app, person, 'program');
  const put = (addresses: readonly object[], options = {}) =>
    api().put<ApprovedAddresses & Refusal>(PATH, { addresses }, options);
  const restrict = (who: Person) =>
    house()
      .db.updateTable('membership')
      .set({ ip_restrictions_enabled: true })
      .where('site_id', '=', who.siteId)
      .where('user_id', '=', who.userId)
      .execute();

  const audits = () =>
    house()
      .db.selectFrom('audit_log')
      .select('changes')
      .where('site_id', '=', person.siteId)
      .where('action', '=', 'site.addresses')
      .execute();

  test('keeps networks with the host part zero, and says whether the caller is among them', async () => {
    const { status, body } = await put([
      { network: '127.0.0.77/8', note: ' Here ' },
      { network: '2001:DB8:0:0::7/48' },
    ]);
    expect(status).toBe(200);
    expect(body.addresses.map(({ network, note }) => [network, note])).toEqual([
      ['127.0.0.0/8', 'Here'],
      ['2001:db8::/48', ''],
    ]);
    expect(body).toMatchObject({ yourAddress: '127.0.0.1', isYourAddressApproved: true, restrictedUsers: 0 });
    expect(await audits()).toEqual([{ changes: { addresses: [[], ['127.0.0.0/8 Here', '2001:db8::/48']] } }]);
    // The same list in another order changes nothing.
    await put([{ network: '2001:db8::/48' }, { network: '127.0.0.0/8', note: 'Here' }]);
    expect(await audits()).toHaveLength(1);
  });

  test('tells every network that is none or stands twice, and stores nothing', async () => {
    const { status, body } = await put([
      { network: '10.0.0.0/8' },
      { network: 'home' },
      { network: '::1/200' },
    ]);
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['addresses.1.network', 'addresses.2.network'],
    ]);
    const twice = await put([{ network: '10.0.0.0/8' }, { network: '10.9.9.9/8' }]);
    expect([twice.status, twice.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['addresses.1.network'],
    ]);
    expect((await api().get<ApprovedAddresses>(PATH)).body.addresses).toEqual([]);
  });

  test('refuses a list that locks its author out', async () => {
    await put([{ network: '127.0.0.1' }]);
    await restrict(person);
    const out = await put([{ network: '203.0.113.0/24' }]);
    expect([out.status, out.body.errors?.[0]?.message]).toEqual([400, expect.stringContaining('127.0.0.1')]);
    expect((await put([])).status).toBe(400);
    expect((await put([{ network: '127.0.0.0/8' }])).status).toBe(200);
  });

  test('keeps one administrator who can sign in', async () => {
    const { db } = house();
    const keeper = await makePerson(db, person.siteId, {
      capabilities: ['Manage Settings', 'Access Web Service'],
    });
    await put([{ network: '127.0.0.1' }]);
    await restrict(person);
    const emptied = await as(house().app, keeper, 'program').put<Refusal>(PATH, { addresses: [] });
    expect(emptied.status).toBe(409);
    expect((await api().get<ApprovedAddresses>(PATH)).body.addresses).toHaveLength(1);
  });

  test('a list that changed meanwhile is not written over', async () => {
    const { headers } = await api().get(PATH);
    await put([{ network: '10.0.0.0/8' }]);
    const stale = await put([{ network: '192.0.2.0/24' }], {
      headers: { 'if-match': String(headers['etag']) },
    });
    expect(stale.status).toBe(412);
  });

  test('rehearses a list against who succeeded from where in 90 days', async () => {
    const { db } = house();
    const restricted = await makePerson(db, person.siteId, { ipRestrictionsEnabled: true });
    const row = { source: 1, principalId: null, exportKind: null };
    await writeRows(db, person.siteId, [
      { ...row, at: at(1), userId: person.userId, type: 1, ip: '198.51.100.4' },
      { ...row, at: at(80), userId: restricted.userId, type: 1, ip: '198.51.100.9' },
      { ...row, at: at(79), userId: restricted.userId, type: 9, ip: '198.51.100.9' },
      { ...row, at: at(2), userId: restricted.userId, type: 1, ip: '203.0.113.5' },
      // Refused ones and those before the 90 days were nobody's way in.
      { ...row, at: at(2), userId: restricted.userId, type: 2, ip: '192.0.2.1' },
      { ...row, at: at(93), userId: restricted.userId, type: 1, ip: '192.0.2.2' },
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
});
