/** Two administrators change the same people at the same time: nothing that was answered with 200 is lost in silence. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfoResponse, UserLicenseInfoResponse } from '../contract/generated/types.gen.ts';
import type { Calls, Reply } from './testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp } from './testing/site.ts';

const times = (count: number) => Array.from({ length: count }, (_, at) => at);
const statuses = (replies: readonly Reply<unknown>[]) =>
  replies.map(({ status }) => status).toSorted((one, other) => one - other);

onEachApp((house) => {
  let siteId = 0;
  let admins: [Calls, Calls];
  let people: number[] = [];
  let groups: number[] = [];
  beforeEach(async () => {
    const { db, app } = house();
    siteId = await makeSite(db);
    const [one, other] = [await makePerson(db, siteId), await makePerson(db, siteId)];
    admins = [as(app, one), as(app, other, 'console')];
    const made = await Promise.all(times(12).map(() => makePerson(db, siteId, { capabilities: [] })));
    people = made.map(({ userId }) => userId).toSorted((a, b) => a - b);
    groups = await Promise.all(times(3).map(() => makeGroup(db, siteId)));
  });

  const tagOf = async (path: string) => ({
    headers: { 'if-match': String((await admins[0].get(path)).headers.etag) },
  });
  const membersOf = async (groupId: number | undefined) =>
    (await admins[0].get<UserInfoResponse[]>(`user?userGroupId=${groupId}&pageSize=1000`)).body.map(
      ({ id }) => id,
    );
  const licenseOf = async (userId: number | undefined) =>
    (await admins[0].get<UserLicenseInfoResponse>(`userLicense/${userId}`)).body.licenseTypeId;

  const half = (at: 0 | 1) => people.filter((_, index) => index % 2 === at);

  describe('with If-Match one of the two is told (412), and what the other did stands', () => {
    test('of a user', async () => {
      const [id] = people;
      const tag = await tagOf(`user/${id}`);
      const replies = await Promise.all([
        admins[0].put('user', { id, lastName: 'First' }, tag),
        admins[1].put('user', { id, lastName: 'Second' }, tag),
      ]);
      expect(statuses(replies)).toEqual([200, 412]);
      const winner = replies[0].status === 200 ? 'First' : 'Second';
      expect((await admins[0].get(`user/${id}`)).body).toMatchObject({ lastName: winner });
    });

    test('of a license, and of a license against the user it belongs to', async () => {
      const [userId] = people;
      const path = `userLicense/${userId}`;
      const first = await tagOf(path);
      const replies = await Promise.all([
        admins[0].put('userLicense', { userId, licenseTypeId: 2 }, first),
        admins[1].put('userLicense', { userId, licenseTypeId: 3 }, first),
      ]);
      expect(statuses(replies)).toEqual([200, 412]);
      expect(await licenseOf(userId)).toBe(replies[0].status === 200 ? 2 : 3);
      const second = await tagOf(path);
      const mixed = await Promise.all([
        admins[0].put('userLicense', { userId, licenseTypeId: 1 }, second),
        admins[1].put('user', { id: userId, isActive: false }, second),
      ]);
      expect(statuses(mixed)).toEqual([200, 412]);
    });

    test('of a group, by name and by members', async () => {
      const path = `user/group/${groups[0]}`;
      const tag = await tagOf(path);
      expect(
        statuses(
          await Promise.all([
            admins[0].put(path, { description: 'First' }, tag),
            admins[1].put(path, { description: 'Second' }, tag),
          ]),
        ),
      ).toEqual([200, 412]);
      const next = await tagOf(path);
      await admins[1].put('user/group', [{ userIds: people, groupIds: [groups[0]] }]);
      expect((await admins[0].del(path, undefined, next)).status).toBe(412);
    });

    test('of many: each of a hundred changes is either done or told', async () => {
      let done = 0;
      const change = async (calls: Calls, userId: number, licenseTypeId: number) => {
        const tag = await tagOf(`userLicense/${userId}`);
        const { status } = await calls.put('userLicense', { userId, licenseTypeId }, tag);
        expect([200, 412]).toContain(status);
        if (status === 200) done += 1;
      };
      for (const round of times(4))
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
        // Each change begins where the one before it ended: nobody overwrote what they had not seen.
        for (const [at, later] of body.slice(0, -1).entries())
          expect(later.previousLicenseTypeId).toBe(body[at + 1]?.licenseTypeId);
        expect(body.at(-1)?.previousLicenseTypeId).toBe(1);
        expect(await licenseOf(userId)).toBe(body[0]?.licenseTypeId);
        recorded += body.length;
      }
      // The license that was there already is a change of nothing: answered, not recorded.
      expect(recorded).toBeLessThanOrEqual(done);
      expect(recorded).toBeGreaterThanOrEqual(people.length * 3);
    });
  });

  test('without If-Match, changes of different fields of one user all stand', async () => {
    const [id] = people;
    const [groupId] = groups;
    const replies = await Promise.all([
      admins[0].put('user', { id, firstName: 'Bo' }),
      admins[1].put('user', { id, lastName: 'Smith' }),
      admins[0].put('userLicense', { userId: id, licenseTypeId: 2 }),
      admins[1].put('user/group', [{ userIds: [id], groupIds: [groupId] }]),
      admins[0].put('user', { id, twoFactorEnabled: true }),
    ]);
    expect(statuses(replies)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await admins[0].get<UserInfoResponse>(`user/${id}`);
    expect(body).toMatchObject({ firstName: 'Bo', lastName: 'Smith', twoFactorEnabled: true });
    expect(body.groups).toContain(groupId);
    expect(await licenseOf(id)).toBe(2);
  });

  describe('PUT and DELETE of /user/group commute (spec 4.2)', () => {
    test('two who add to one group add both, two who remove remove both', async () => {
      const [groupId] = groups;
      const put = (calls: Calls, userIds: number[]) =>
        calls.put('user/group', [{ userIds, groupIds: groups }]);
      const del = (calls: Calls, userIds: number[]) =>
        calls.del('user/group', [{ userIds, groupIds: groups }]);
      expect(statuses(await Promise.all([put(admins[0], half(0)), put(admins[1], half(1))]))).toEqual([
        200, 200,
      ]);
      expect(await membersOf(groupId)).toEqual(people);
      await Promise.all([del(admins[0], people.slice(0, 4)), del(admins[1], people.slice(2, 8))]);
      expect(await membersOf(groupId)).toEqual(people.slice(8));
    });

    test('one adds while the other removes others, a hundred pairs at a time', async () => {
      await admins[0].put('user/group', [{ userIds: half(0), groupIds: groups }]);
      const replies = await Promise.all(
        half(1).flatMap((userId, at) => [
          admins[0].put('user/group', [{ userIds: [userId], groupIds: groups }]),
          admins[1].del('user/group', [{ userIds: [half(0)[at]], groupIds: groups }]),
        ]),
      );
      expect(new Set(statuses(replies))).toEqual(new Set([200]));
      for (const groupId of groups) expect(await membersOf(groupId)).toEqual(half(1));
      const listed = (await admins[0].get<{ id: number; userCount: number }[]>('user/group?pageSize=1000'))
        .body;
      const counted = listed.filter(({ id }) => groups.includes(id)).map(({ userCount }) => userCount);
      expect(counted).toEqual(groups.map(() => half(1).length));
    });

    test('a whole list of groups with If-Match does not undo what another added meanwhile', async () => {
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
