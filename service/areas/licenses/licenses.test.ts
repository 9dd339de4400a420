import { beforeEach, expect, test } from 'vitest';
import type { UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((house) => {
  let admin: Person;
  let people: Person[] = [];
  let api: Calls;
  beforeEach(async () => {
    const siteId = await makeSite(house().db);
    admin = await makePerson(house().db, siteId);
    people = [];
    for (const licenseTypeId of [1, 2, 3, 4])
      people.push(
        await makePerson(house().db, siteId, {
          licenseTypeId,
          capabilities: ['Access Web Service', 'Manage Users'],
        }),
      );
    api = as(house().app, admin);
  });
  const listed = async (query: string) =>
    (await api.get<UserLicenseInfoResponse[]>(`userLicenses?${query}`)).body.map(({ userId }) => userId);
  const idOf = (type: number) => people[type - 1]?.userId ?? 0;
  const put = (body: object, headers: Record<string, string> = {}) =>
    api.put<Refusal>('userLicense', body, { headers });

  test.each([
    [1, 'Standard', true],
    [2, 'Limited', true],
    [3, 'Free/Complimentary', false],
    [4, 'No License', false],
  ])('type %d is %s, billable: %s (spec 2.2)', async (licenseTypeId, description, isBillable) => {
    const { status, body } = await api.get(`userLicense/${idOf(licenseTypeId)}`);
    expect([status, body]).toEqual([
      200,
      { userId: idOf(licenseTypeId), licenseTypeId, description, isBillable },
    ]);
  });

  test('isBillable true lists types 1 and 2, false 3 and 4, absent all; pages as everywhere', async () => {
    const all = [admin.userId, ...people.map(({ userId }) => userId)];
    expect(await listed('')).toEqual(all);
    expect(await listed('isBillable=true')).toEqual([admin.userId, idOf(1), idOf(2)]);
    expect(await listed('ISBILLABLE=false')).toEqual([idOf(3), idOf(4)]);
    expect(await listed('pageSize=2&pageNumber=3')).toEqual(all.slice(4));
    expect(await listed('isBillable=true&pageSize=2&pageNumber=2')).toEqual([idOf(2)]);
  });

  test.each([
    'isBillable=1',
    'isBillable=TRUE',
    'isBillable=yes',
    'isBillable=',
    'isBillable=true&isBillable=false',
    'pageSize=1001',
    'pageSize=0',
  ])('%s is 400', async (query) => {
    expect((await api.get(`userLicenses?${query}`)).status).toBe(400);
  });

  test('PUT sets the license, under both names, and answers nothing', async () => {
    const changed = await put({ userId: idOf(1), licenseTypeId: 2 });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect((await put({ UserId: idOf(1), LicenseType: 3 })).status).toBe(200);
    expect((await api.get(`userLicense/${idOf(1)}`)).body).toMatchObject({ licenseTypeId: 3 });
    expect((await put({ userId: idOf(1), licenseTypeId: 1, licenseType: 2 })).status).toBe(400);
  });

  test.each([0, 5, 1.5, '1', null])('license type %j is 400', async (licenseTypeId) => {
    const { status, body } = await put({ userId: idOf(1), licenseTypeId });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'licenseTypeId']);
  });

  test('404 for nobody and for somebody elsewhere', async () => {
    const foreign = await makePerson(house().db, await makeSite(house().db));
    for (const userId of [foreign.userId, 2_147_483_647]) {
      expect((await api.get(`userLicense/${userId}`)).status).toBe(404);
      expect((await put({ userId, licenseTypeId: 1 })).status).toBe(404);
    }
  });

  test('No License ends access at once; another license opens it again, for new tokens', async () => {
    const [person] = people;
    if (!person) throw new Error('There is a person');
    const doors = (['program', 'console'] as const).map((door) => as(house().app, person, door));
    const statuses = async () =>
      (await Promise.all(doors.map((calls) => calls.get('user')))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200]);
    await put({ userId: person.userId, licenseTypeId: 4 });
    expect(await statuses()).toEqual([401, 401]);
    await put({ userId: person.userId, licenseTypeId: 1 });
    expect(await statuses()).toEqual([401, 401]);
  });

  test('nobody takes the license of somebody who may do more than they may (T05)', async () => {
    const weak = await makePerson(house().db, admin.siteId, {
      capabilities: ['Access Web Service', 'Manage Licences'],
    });
    const take = (licenseTypeId: number) =>
      as(house().app, weak).put('userLicense', { userId: admin.userId, licenseTypeId });
    expect([await take(4), await take(2)].map(({ status }) => status)).toEqual([403, 200]);
  });

  test('honours If-Match', async () => {
    const etag = String((await api.get(`userLicense/${idOf(1)}`)).headers.etag);
    expect((await put({ userId: idOf(1), licenseTypeId: 2 }, { 'if-match': etag })).status).toBe(200);
    expect((await put({ userId: idOf(1), licenseTypeId: 3 }, { 'if-match': etag })).status).toBe(412);
  });
});
