import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, joinSite, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let user: Person;
  let api: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    user = await makePerson(context().db, siteId, { capabilities: ['Access Web Service', 'Manage Users'] });
    api = as(context().app, admin);
  });

  const readUser = async (id = user.userId) => (await api.get<UserInfoResponse>(`user/${id}`)).body;
  const change = (info: object, headers: Record<string, string> = {}) =>
    api.put<ErrorBody>('user', { id: user.userId, ...info }, { headers });
  const remove = (tag: string) => api.del(`user/${user.userId}`, undefined, { headers: { 'if-match': tag } });
  const getEtag = async () => String((await api.get(`user/${user.userId}`)).headers.etag);
  const restrictMyself = () => api.put<ErrorBody>('user', { id: admin.userId, ipRestrictionsEnabled: true });

  test('returns the id, keeps omitted fields and sets the given ones', async () => {
    const before = await readUser();
    const { status, body } = await change({ lastName: 'Okafor-Lind' });
    expect([status, body]).toEqual([200, user.userId]);
    const { modifiedDate, ...after } = await readUser();
    expect(after).toEqual({
      ...before,
      lastName: 'Okafor-Lind',
      modifiedBy: admin.userId,
      modifiedDate: undefined,
    });
    expect(Date.parse(modifiedDate)).toBeGreaterThanOrEqual(Date.parse(before.modifiedDate));
  });

  test('changes every field', async () => {
    const groups = [user.groupId, await makeGroup(context().db, siteId)].toSorted((a, b) => a - b);
    const info = {
      email: `New.${user.email}`,
      firstName: 'Grace',
      lastName: 'Lund',
      federationId: 'f-9',
      isActive: false,
      groups,
      twoFactorEnabled: true,
      ipRestrictionsEnabled: true,
      timeZone: 'Europe/Lisbon',
    };
    expect((await change(info)).status).toBe(200);
    expect(await readUser()).toMatchObject(info);
    expect((await change({ federationId: null, timeZone: null })).status).toBe(200);
    expect(await readUser()).toMatchObject({ federationId: null, timeZone: null });
  });

  test('an update without changes keeps version, date and audit log', async () => {
    const before = await api.get(`user/${user.userId}`);
    expect((await change({ firstName: 'Ada', groups: [user.groupId], isActive: true })).status).toBe(200);
    const after = await api.get(`user/${user.userId}`);
    expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag]);
  });

  test('groups is the complete list', async () => {
    const other = await makeGroup(context().db, siteId);
    await change({ groups: [other, other] });
    expect((await readUser()).groups).toEqual([other]);
    await change({ groups: [] });
    expect((await readUser()).groups).toEqual([]);
    const { status, body } = await change({ groups: [other, 2_147_483_647] });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'groups.1']);
  });

  describe('one-way switches (spec 2.1, 3)', () => {
    test.each(['twoFactorEnabled', 'ipRestrictionsEnabled'])(
      '%s can be turned on but never off',
      async (name) => {
        expect((await change({ [name]: false })).status).toBe(200);
        expect((await change({ [name]: true })).status).toBe(200);
        const { status, body } = await change({ [name]: false, lastName: 'Kept out' });
        expect([status, body.errors?.[0]?.path]).toEqual([400, name]);
        expect(await readUser()).toMatchObject({ [name]: true, lastName: 'Okafor' });
      },
    );

    test('both errors are reported together with the others', async () => {
      await change({ twoFactorEnabled: true, ipRestrictionsEnabled: true });
      const { body } = await change({
        twoFactorEnabled: false,
        ipRestrictionsEnabled: false,
        firstName: ' ',
      });
      expect(body.errors?.map(({ path }) => path).toSorted()).toEqual([
        'firstName',
        'ipRestrictionsEnabled',
        'twoFactorEnabled',
      ]);
    });

    test('nobody can lock themselves out with IP restrictions (T07)', async () => {
      expect((await restrictMyself()).body.errors?.[0]?.path).toBe('ipRestrictionsEnabled');
      await context()
        .db.insertInto('approved_address')
        .values({ site_id: siteId, network: '127.0.0.0/8' })
        .execute();
      expect((await restrictMyself()).status).toBe(200);
    });
  });

  describe('If-Match (shapes 1)', () => {
    test('the current tag and * are accepted; stale and unknown tags are 412 and change nothing', async () => {
      const first = await getEtag();
      expect((await change({ lastName: 'One' }, { 'if-match': first })).status).toBe(200);
      expect((await change({ lastName: 'Two' }, { 'if-match': first })).status).toBe(412);
      expect((await change({ lastName: 'Two' }, { 'if-match': '"nothing"' })).status).toBe(412);
      expect(await readUser()).toHaveProperty('lastName', 'One');
      expect((await change({ lastName: 'Three' }, { 'if-match': '*' })).status).toBe(200);
      expect((await change({ lastName: 'Four' }, { 'if-match': `"x", ${await getEtag()}` })).status).toBe(
        200,
      );
    });

    test('without it the last write wins', async () => {
      await change({ lastName: 'One' });
      expect((await change({ lastName: 'Two' })).status).toBe(200);
    });

    test('PUT returns the tag of the new version', async () => {
      const { headers } = await change({ lastName: 'One' });
      const ifMatch = { 'if-match': String(headers.etag) };
      expect((await change({ lastName: 'Two' }, ifMatch)).status).toBe(200);
      expect((await change({ lastName: 'Three' }, ifMatch)).status).toBe(412);
    });

    test('changes of groups and license make the tag stale', async () => {
      const first = await getEtag();
      await api.put('user/group', [{ userIds: [user.userId], groupIds: [admin.groupId] }]);
      const second = await getEtag();
      await api.put('userLicense', { userId: user.userId, licenseTypeId: 2 });
      expect(new Set([first, second, await getEtag()]).size).toBe(3);
    });

    test('a stale tag does not remove a user', async () => {
      const first = await getEtag();
      await change({ lastName: 'One' });
      expect((await remove(first)).status).toBe(412);
      expect((await remove(await getEtag())).status).toBe(200);
    });
  });

  describe('rejections', () => {
    test('is 404 for an unknown user and for a user of another site', async () => {
      const foreign = await makePerson(context().db, await makeSite(context().db));
      for (const id of [foreign.userId, 2_147_483_647]) {
        expect((await api.put('user', { id, lastName: 'X' })).status).toBe(404);
      }
    });

    test('is 409 for a registered address and says where it is registered', async () => {
      const foreign = await makePerson(context().db, await makeSite(context().db));
      const removed = await makePerson(context().db, siteId);
      await api.del(`user/${removed.userId}`);
      for (const [email, words] of [
        [foreign.email.toUpperCase(), 'is already known on another site:'],
        [admin.email, `is already a user of this site (id ${admin.userId})`],
        [removed.email, 'is already known but on no site any more:'],
      ] as const) {
        const { status, body } = await change({ email });
        expect([status, body.errors?.[0]?.path]).toEqual([409, 'email']);
        expect(body.errors?.[0]?.message).toContain(words);
      }
    });

    test('rejects a password', async () => {
      const { body } = await change({ password: 'correct horse battery' });
      expect(body.errors).toEqual([{ path: 'password', message: 'is not known' }]);
    });

    test('the address of a member of another site cannot be changed (T05)', async () => {
      const elsewhere = await makeSite(context().db);
      await joinSite(context().db, elsewhere, user.userId);
      const refused = await change({ email: 'mallory@example.com' });
      expect(refused.status).toBe(409);
      expect((await change({ federationId: 'mallory' })).status).toBe(409);
      expect((await readUser()).email).toBe(user.email);
      expect((await change({ lastName: 'Still-changed' })).status).toBe(200);
    });

    test('an account from another site keeps its name and address, while its membership can be changed', async () => {
      const guest = await makePerson(context().db, await makeSite(context().db));
      await joinSite(context().db, siteId, guest.userId);
      const groups = [await makeGroup(context().db, siteId)];
      expect((await api.put('user', { id: guest.userId, lastName: 'Mine' })).status).toBe(409);
      expect((await api.put('user', { id: guest.userId, groups, isActive: false })).status).toBe(200);
      expect(await readUser(guest.userId)).toMatchObject({ groups, isActive: false, lastName: 'Okafor' });
    });

    test('sign-in settings of a user with more capabilities cannot be changed (T05)', async () => {
      const weak = as(context().app, user);
      for (const info of [
        { email: 'mine@evil.test' },
        { isActive: false },
        { federationId: 'mine' },
        { ipRestrictionsEnabled: true },
        { twoFactorEnabled: true },
      ]) {
        expect((await weak.put('user', { id: admin.userId, ...info })).status).toBe(403);
      }
      expect((await weak.del(`user/${admin.userId}`)).status).toBe(403);
      expect((await api.get(`user/${admin.userId}`)).body).toMatchObject({
        email: admin.email,
        isActive: true,
      });
    });
  });

  test('deactivation ends sessions and tokens at once, and reactivation restores neither', async () => {
    const calls = [as(context().app, user), as(context().app, user, 'console')];
    const statuses = async () =>
      (await Promise.all(calls.map((each) => each.get('user')))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200]);
    await change({ isActive: false });
    expect(await statuses()).toEqual([401, 401]);
    await change({ isActive: true });
    expect(await statuses()).toEqual([401, 401]);
  });

  describe('DELETE', () => {
    test('returns the id, ends sessions, tokens and keys, and keeps the account on the platform', async () => {
      const removed = await api.del(`user/${user.userId}`);
      expect([removed.status, removed.body]).toEqual([200, user.userId]);
      for (const door of ['program', 'console'] as const) {
        expect((await as(context().app, user, door).get('user')).status).toBe(401);
      }
      const path = `user/${user.userId}`;
      const after = await Promise.all([
        api.get(path),
        api.del(path),
        change({ lastName: 'X' }),
        api.get(`userLicense/${user.userId}`),
      ]);
      expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const again = await api.post<ErrorBody>('user', { email: user.email, firstName: 'A', lastName: 'B' });
      expect(again.status).toBe(409);
      expect(again.body.message).toContain('addExisting');
      expect(again.body.errors?.[0]?.message).toContain('known but on no site any more');
    });

    test('keeps the membership on another site', async () => {
      const other = await makeSite(context().db);
      await joinSite(context().db, other, user.userId);
      await api.del(`user/${user.userId}`);
      const elsewhere = as(context().app, await makePerson(context().db, other));
      expect((await elsewhere.get(`user/${user.userId}`)).status).toBe(200);
    });
  });

  test('the last administrator who can sign in cannot be deactivated, removed, unlicensed or ungrouped (T07)', async () => {
    await makePerson(context().db, siteId, { isActive: false });
    await makePerson(context().db, siteId, { licenseTypeId: 4 });
    await makePerson(context().db, siteId, { passwordHash: null });
    await makePerson(context().db, siteId, { ipRestrictionsEnabled: true });
    const id = admin.userId;
    const pair = [{ userIds: [id], groupIds: [admin.groupId] }];
    const capabilities = ['Access Web Service', 'Manage Groups', 'Manage Users'];
    const tries = [
      () => api.put('user', { id, isActive: false }),
      () => api.put('user', { id, groups: [] }),
      () => api.del(`user/${id}`),
      () => api.put('userLicense', { userId: id, licenseTypeId: 4 }),
      () => api.del('user/group', pair),
      () => api.put(`user/group/${admin.groupId}`, { capabilities: capabilities.slice(0, 2) }),
      () => api.put(`user/group/${admin.groupId}`, { capabilities: [] }),
      () => api.del(`user/group/${admin.groupId}`),
    ];
    for (const [at, attempt] of tries.entries()) expect([at, (await attempt()).status]).toEqual([at, 409]);
    expect((await api.put(`user/group/${admin.groupId}`, { capabilities })).status).toBe(200);
    await makePerson(context().db, siteId);
    expect((await api.del(`user/${id}`)).status).toBe(200);
  });
});
