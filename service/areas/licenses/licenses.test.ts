import { beforeEach, expect, test } from 'vitest';
import type { UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((context) => {
  let admin: Person;
  let people: Person[] = [];
  let api: ApiClient;
  beforeEach(async () => {
    const siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    people = [];
    for (const licenseTypeId of [1, 2, 3, 4])
      people.push(
        await makePerson(context().db, siteId, {
          licenseTypeId,
          capabilities: ['Access Web Service', 'Manage Users'],
        }),
      );
    api = as(context().app, admin);
  });
  const listUserIds = async (query: string) =>
    (await api.get<UserLicenseInfoResponse[]>(`userLicenses?${query}`)).body.map(({ userId }) => userId);
  const getUserId = (type: number) => people[type - 1]?.userId ?? 0;
  const putLicense = (body: object, headers: Record<string, string> = {}) =>
    api.put<ErrorBody>('userLicense', body, { headers });

  test.each([
    [1, 'Standard', true],
    [2, 'Limited', true],
    [3, 'Free/Complimentary', false],
    [4, 'No License', false],
  ])('type %d is %s, billable: %s (spec 2.2)', async (licenseTypeId, description, isBillable) => {
    const { status, body } = await api.get(`userLicense/${getUserId(licenseTypeId)}`);
    expect([status, body]).toEqual([
      200,
      { userId: getUserId(licenseTypeId), licenseTypeId, description, isBillable },
    ]);
  });

  test('isBillable selects types 1 and 2 or 3 and 4; without it all licenses are listed, in pages', async () => {
    const all = [admin.userId, ...people.map(({ userId }) => userId)];
    expect(await listUserIds('')).toEqual(all);
    expect(await listUserIds('isBillable=true')).toEqual([admin.userId, getUserId(1), getUserId(2)]);
    expect(await listUserIds('ISBILLABLE=false')).toEqual([getUserId(3), getUserId(4)]);
    expect(await listUserIds('pageSize=2&pageNumber=3')).toEqual(all.slice(4));
    expect(await listUserIds('isBillable=true&pageSize=2&pageNumber=2')).toEqual([getUserId(2)]);
  });

  test.each([
    'isBillable=1',
    'isBillable=yes',
    'isBillable=',
    'isBillable=true&isBillable=false',
    'pageSize=1001',
    'pageSize=0',
  ])('%s is 400', async (query) => {
    expect((await api.get(`userLicenses?${query}`)).status).toBe(400);
  });

  test('PUT sets the license, accepts both names and returns no body', async () => {
    const changed = await putLicense({ userId: getUserId(1), licenseTypeId: 2 });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect((await putLicense({ UserId: getUserId(1), LicenseType: 3 })).status).toBe(200);
    expect((await api.get(`userLicense/${getUserId(1)}`)).body).toMatchObject({ licenseTypeId: 3 });
    expect((await putLicense({ userId: getUserId(1), licenseTypeId: 1, licenseType: 2 })).status).toBe(400);
  });

  test.each([0, 5, 1.5, '1', null])('license type %j is 400', async (licenseTypeId) => {
    const { status, body } = await putLicense({ userId: getUserId(1), licenseTypeId });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'licenseTypeId']);
  });

  test('is 404 for an unknown user and for a user of another site', async () => {
    const foreign = await makePerson(context().db, await makeSite(context().db));
    for (const userId of [foreign.userId, 2_147_483_647]) {
      expect((await api.get(`userLicense/${userId}`)).status).toBe(404);
      expect((await putLicense({ userId, licenseTypeId: 1 })).status).toBe(404);
    }
  });

  test('No License ends access at once; another license allows new tokens again', async () => {
    const [person] = people;
    if (!person) throw new Error('There is a person');
    const doors = (['program', 'console'] as const).map((door) => as(context().app, person, door));
    const statuses = async () =>
      (await Promise.all(doors.map((calls) => calls.get('user')))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200]);
    await putLicense({ userId: person.userId, licenseTypeId: 4 });
    expect(await statuses()).toEqual([401, 401]);
    await putLicense({ userId: person.userId, licenseTypeId: 1 });
    expect(await statuses()).toEqual([401, 401]);
  });

  test('rejects revoking the license of a user with more capabilities than the caller (T05)', async () => {
    const weak = await makePerson(context().db, admin.siteId, {
      capabilities: ['Access Web Service', 'Manage Licences'],
    });
    const take = (licenseTypeId: number) =>
      as(context().app, weak).put('userLicense', { userId: admin.userId, licenseTypeId });
    expect([await take(4), await take(2)].map(({ status }) => status)).toEqual([403, 200]);
  });

  test('honors If-Match', async () => {
    const etag = String((await api.get(`userLicense/${getUserId(1)}`)).headers.etag);
    expect((await putLicense({ userId: getUserId(1), licenseTypeId: 2 }, { 'if-match': etag })).status).toBe(
      200,
    );
    expect((await putLicense({ userId: getUserId(1), licenseTypeId: 3 }, { 'if-match': etag })).status).toBe(
      412,
    );
  });
});
