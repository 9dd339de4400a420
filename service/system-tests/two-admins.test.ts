/** Two administrators change the same users at the same time: no change that was answered with 200 is lost silently. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfoResponse, UserLicenseInfoResponse } from '../../contract/generated/types.gen.ts';
import type { ApiClient, Reply } from '../testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp } from '../testing/site.ts';

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const getSortedStatuses = (replies: readonly Reply<unknown>[]) =>
  replies.map(({ status }) => status).toSorted((one, other) => one - other);

onEachApp((context) => {
  let siteId = 0;
  let admins: [ApiClient, ApiClient];
  let people: number[] = [];
  let groups: number[] = [];
  beforeEach(async () => {
    const { db, app } = context();
    siteId = await makeSite(db);
    const [one, other] = [await makePerson(db, siteId), await makePerson(db, siteId)];
    admins = [as(app, one), as(app, other, 'console')];
    const createdPeople = await Promise.all(
      range(12).map(() => makePerson(db, siteId, { capabilities: [] })),
    );
    people = createdPeople.map(({ userId }) => userId).toSorted((a, b) => a - b);
    groups = await Promise.all(range(3).map(() => makeGroup(db, siteId)));
  });

  const getIfMatchHeader = async (path: string) => ({
    headers: { 'if-match': String((await admins[0].get(path)).headers.etag) },
  });
  const listMembers = async (groupId: number | undefined) =>
    (await admins[0].get<UserInfoResponse[]>(`user?userGroupId=${groupId}&pageSize=1000`)).body.map(
      ({ id }) => id,
    );
  const getLicenseTypeId = async (userId: number | undefined) =>
    (await admins[0].get<UserLicenseInfoResponse>(`userLicense/${userId}`)).body.licenseTypeId;

  const getEverySecondPerson = (at: 0 | 1) => people.filter((_, index) => index % 2 === at);

  describe('with If-Match, one of two concurrent changes gets 412', () => {
    test('of a user', async () => {
      const [id] = people;
      const tag = await getIfMatchHeader(`user/${id}`);
      const replies = await Promise.all([
        admins[0].put('user', { id, lastName: 'First' }, tag),
        admins[1].put('user', { id, lastName: 'Second' }, tag),
      ]);
      expect(getSortedStatuses(replies)).toEqual([200, 412]);
      const winner = replies[0].status === 200 ? 'First' : 'Second';
      expect((await admins[0].get(`user/${id}`)).body).toMatchObject({ lastName: winner });
    });

    test('of a license, and of a license against the user it belongs to', async () => {
      const [userId] = people;
      const path = `userLicense/${userId}`;
      const first = await getIfMatchHeader(path);
      const replies = await Promise.all([
        admins[0].put('userLicense', { userId, licenseTypeId: 2 }, first),
        admins[1].put('userLicense', { userId, licenseTypeId: 3 }, first),
      ]);
      expect(getSortedStatuses(replies)).toEqual([200, 412]);
      expect(await getLicenseTypeId(userId)).toBe(replies[0].status === 200 ? 2 : 3);
      const second = await getIfMatchHeader(path);
      const mixed = await Promise.all([
        admins[0].put('userLicense', { userId, licenseTypeId: 1 }, second),
        admins[1].put('user', { id: userId, isActive: false }, second),
      ]);
      expect(getSortedStatuses(mixed)).toEqual([200, 412]);
    });

    test('of a group, by name and by members', async () => {
      const path = `user/group/${groups[0]}`;
      const tag = await getIfMatchHeader(path);
      expect(
        getSortedStatuses(
          await Promise.all([
            admins[0].put(path, { description: 'First' }, tag),
            admins[1].put(path, { description: 'Second' }, tag),
          ]),
        ),
      ).toEqual([200, 412]);
      const next = await getIfMatchHeader(path);
      await admins[1].put('user/group', [{ userIds: people, groupIds: [groups[0]] }]);
      expect((await admins[0].del(path, undefined, next)).status).toBe(412);
    });

    test('of many changes, each is either applied or gets 412', async () => {
      let done = 0;
      const change = async (calls: ApiClient, userId: number, licenseTypeId: number) => {
        const tag = await getIfMatchHeader(`userLicense/${userId}`);
        const { status } = await calls.put('userLicense', { userId, licenseTypeId }, tag);
        expect([200, 412]).toContain(status);
        if (status === 200) done += 1;
      };
      for (const round of range(4))
        await Promise.all(
          people.flatMap((userId) => [
            change(admins[0], userId, 1 + (round % 3)),
            change(admins[1], userId, 1 + ((round + 1) % 3)),
          ]),
        );
      let recorded = 0;
      for (const userId of people) {
        const { body } = await admins[0].get<{ licenseTypeId: number; previousLicenseTypeId: number }[]>(
          `userLicense/${userId}/history?pageSize=1000`,
        );
        // Each change starts from the value that the previous one set: none overwrote an unseen value.
        for (const [at, later] of body.slice(0, -1).entries())
          expect(later.previousLicenseTypeId).toBe(body[at + 1]?.licenseTypeId);
        expect(body.at(-1)?.previousLicenseTypeId).toBe(1);
        expect(await getLicenseTypeId(userId)).toBe(body[0]?.licenseTypeId);
        recorded += body.length;
      }
      // Setting the same license again is answered with 200 but not recorded.
      expect(recorded).toBeLessThanOrEqual(done);
      expect(recorded).toBeGreaterThanOrEqual(people.length * 3);
    });
  });

  test('without If-Match, concurrent changes of different properties of a user are all applied', async () => {
    const [id] = people;
    const [groupId] = groups;
    const replies = await Promise.all([
      admins[0].put('user', { id, firstName: 'Bo' }),
      admins[1].put('user', { id, lastName: 'Smith' }),
      admins[0].put('userLicense', { userId: id, licenseTypeId: 2 }),
      admins[1].put('user/group', [{ userIds: [id], groupIds: [groupId] }]),
      admins[0].put('user', { id, twoFactorEnabled: true }),
    ]);
    expect(getSortedStatuses(replies)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await admins[0].get<UserInfoResponse>(`user/${id}`);
    expect(body).toMatchObject({ firstName: 'Bo', lastName: 'Smith', twoFactorEnabled: true });
    expect(body.groups).toContain(groupId);
    expect(await getLicenseTypeId(id)).toBe(2);
  });

  describe('PUT and DELETE of /user/group commute (spec 4.2)', () => {
    test('concurrent additions are all applied, and so are concurrent removals', async () => {
      const [groupId] = groups;
      const put = (calls: ApiClient, userIds: number[]) =>
        calls.put('user/group', [{ userIds, groupIds: groups }]);
      const del = (calls: ApiClient, userIds: number[]) =>
        calls.del('user/group', [{ userIds, groupIds: groups }]);
      expect(
        getSortedStatuses(
          await Promise.all([
            put(admins[0], getEverySecondPerson(0)),
            put(admins[1], getEverySecondPerson(1)),
          ]),
        ),
      ).toEqual([200, 200]);
      expect(await listMembers(groupId)).toEqual(people);
      await Promise.all([del(admins[0], people.slice(0, 4)), del(admins[1], people.slice(2, 8))]);
      expect(await listMembers(groupId)).toEqual(people.slice(8));
    });

    test('additions and removals of different users at the same time are all applied', async () => {
      await admins[0].put('user/group', [{ userIds: getEverySecondPerson(0), groupIds: groups }]);
      const replies = await Promise.all(
        getEverySecondPerson(1).flatMap((userId, at) => [
          admins[0].put('user/group', [{ userIds: [userId], groupIds: groups }]),
          admins[1].del('user/group', [{ userIds: [getEverySecondPerson(0)[at]], groupIds: groups }]),
        ]),
      );
      expect(new Set(getSortedStatuses(replies))).toEqual(new Set([200]));
      for (const groupId of groups) expect(await listMembers(groupId)).toEqual(getEverySecondPerson(1));
      const listed = (await admins[0].get<{ id: number; userCount: number }[]>('user/group?pageSize=1000'))
        .body;
      const counted = listed.filter(({ id }) => groups.includes(id)).map(({ userCount }) => userCount);
      expect(counted).toEqual(groups.map(() => getEverySecondPerson(1).length));
    });

    test('writing the whole list of groups with an outdated If-Match does not undo another addition', async () => {
      const [id] = people;
      const { body, headers } = await admins[0].get<UserInfoResponse>(`user/${id}`);
      const tag = { headers: { 'if-match': String(headers.etag) } };
      await admins[1].put('user/group', [{ userIds: [id], groupIds: [groups[1]] }]);
      expect((await admins[0].put('user', { id, groups: [...body.groups, groups[0]] }, tag)).status).toBe(
        412,
      );
      expect((await admins[0].get<UserInfoResponse>(`user/${id}`)).body.groups).toContain(groups[1]);
    });
  });
});
