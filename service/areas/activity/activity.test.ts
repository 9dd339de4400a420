import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PagedResultOfUserActivityEntry, UserChange } from '../../../contract/generated/types.gen.ts';
import { writeRows } from '../../testing/activity.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const DAY = 86_400_000;
const at = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY).toISOString();

onEachApp((house) => {
  let admin: Person;
  let api: Calls;
  beforeEach(async () => {
    admin = await makePerson(house().db, await makeSite(house().db));
    api = as(house().app, admin);
  });

  const report = async (query: object = {}, page = '') =>
    (await api.post<PagedResultOfUserActivityEntry>(`user/activity?${page}`, query)).body;
  const faults = async (query: object) => {
    const { status, body } = await api.post<Refusal>('user/activity', query);
    expect(status).toBe(400);
    return body.errors?.map(({ path }) => path) ?? [];
  };
  const row = (more: object = {}) => ({
    at: Date.now() - 1000,
    userId: admin.userId,
    type: 1,
    source: 1,
    ip: '203.0.113.7',
    principalId: null,
    exportKind: null,
    ...more,
  });

  describe('a query that is refused (shapes 2)', () => {
    test.each([
      [{ dateFrom: at(92) }, ['dateFrom']],
      [{ dateFrom: '2026-02-31' }, ['dateFrom']],
      [{ dateFrom: at(3), dateTo: at(2.1) }, ['dateTo']],
      [{ dateTo: at(91) }, ['dateTo']],
      [{ exportDataType: 0 }, ['exportDataType']],
      [{ exportDataType: 1, activity: 1 }, ['exportDataType']],
      [{ exportDataType: 1, activities: [8, 1] }, ['exportDataType']],
      [{ activity: 1, activities: [2] }, ['activities']],
      [{ source: 1, sources: [2] }, ['sources']],
      [{ activity: 11, source: 0, exportDataType: 5 }, ['activity', 'source', 'exportDataType']],
    ])('%j', async (query, paths) => {
      expect(await faults(query)).toEqual(paths);
    });

    test.each([
      '300.1.1.1',
      '10.0.0.0/33',
      '10.0.0/8',
      '2001:db8::/129',
      '::ffff:10.0.0.1/96',
      'fe80::1%eth0',
      '10.0.0.1/8/8',
      'x',
    ])('the address %s', async (ipAddress) => {
      const { body } = await api.post<Refusal>('user/activity', { ipAddress });
      expect(body.errors).toEqual([
        {
          path: 'ipAddress',
          message: 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24 or 2001:db8::/32',
        },
      ]);
    });

    test('of counts, too: a period that ends before it begins, but not a short one', async () => {
      const path = 'user/activity/summary';
      expect((await api.post(path, { dateFrom: at(3), dateTo: at(2.99) })).status).toBe(200);
      const { body } = await api.post<Refusal>(path, { dateFrom: at(3), dateTo: at(3.01) });
      expect(body.errors).toEqual([{ path: 'dateTo', message: 'must be after dateFrom' }]);
    });

    test('tells every fault at once, and how far back the report reaches', async () => {
      const query = {
        dateFrom: '2001-01-01',
        dateTo: '2001-01-01',
        exportDataType: 2,
        ipAddress: 'x',
        sources: [1],
        source: 1,
      };
      expect(await faults(query)).toEqual(['dateFrom', 'dateTo', 'sources', 'exportDataType', 'ipAddress']);
      const { body } = await api.post<Refusal>('user/activity', { dateFrom: '2001-01-01' });
      expect(body.message).toMatch(
        /^dateFrom: must be at most 90 days back: \d{4}-\d\d-\d\dT00:00:00.000Z or later$/,
      );
    });
  });

  test('begins at the beginning of the day that lies 90 days back, by default and at the earliest', async () => {
    const first = Math.floor(Date.now() / DAY) * DAY - 90 * DAY;
    await writeRows(house().db, admin.siteId, [row({ at: first - 1 }), row({ at: first })]);
    expect((await report()).totalRecords).toBe(1);
    const day = new Date(first).toISOString().slice(0, 10);
    expect((await report({ dateFrom: day })).totalRecords).toBe(1);
    expect((await report({ dateFrom: day, dateTo: new Date(first + DAY).toISOString() })).totalRecords).toBe(
      1,
    );
  });

  test('a row has its names, its codes with their texts, and everything about an export by a proxy', async () => {
    const principal = await makePerson(house().db, admin.siteId);
    const [written] = await writeRows(house().db, admin.siteId, [
      row({ type: 8, source: 3, ip: '2001:DB8::7', principalId: principal.userId, exportKind: 0 }),
    ]);
    const { rows } = await report({ activity: 8, exportDataType: 0 });
    expect(rows).toEqual([
      {
        activityId: written?.id,
        userId: admin.userId,
        userName: admin.email,
        fullName: 'Ada Okafor',
        eventDate: new Date(written?.at ?? 0).toISOString(),
        activityTypeId: 8,
        activityType: 'Export Data',
        sourceTypeId: 3,
        sourceType: 'API',
        ipAddress: '2001:db8::7',
        sessionId: null,
        principalUserId: principal.userId,
        principalUserName: principal.email,
        principalFullName: 'Ada Okafor',
        exportDataType: 0,
      },
    ]);
  });

  test('whoever has left keeps the name', async () => {
    const left = await makePerson(house().db, admin.siteId);
    await writeRows(house().db, admin.siteId, [row({ userId: left.userId })]);
    expect((await api.del(`user/${left.userId}`)).status).toBe(200);
    expect((await report({ userIds: [left.userId] })).rows).toMatchObject([{ userName: left.email }]);
  });

  test('is of this site alone, for people of two sites as well', async () => {
    const { db, app } = house();
    const other = await makePerson(db, await makeSite(db));
    await joinSite(db, other.siteId, admin.userId);
    await writeRows(db, admin.siteId, [row()]);
    await writeRows(db, other.siteId, [row(), row({ userId: other.userId })]);
    expect((await report()).totalRecords).toBe(1);
    expect((await report({ userIds: [other.userId] })).totalRecords).toBe(0);
    const there = await as(app, other).post<PagedResultOfUserActivityEntry>('user/activity', {});
    expect(there.body.totalRecords).toBe(2);
  });

  const changesOf = async (userId: number, page = '') =>
    (await api.get<UserChange[]>(`user/${userId}/changes?${page}`)).body;

  describe('what was changed on a user', () => {
    test('is told newest first, with who did it; nothing of anybody else', async () => {
      const created = await api.post<number>('user', {
        email: `${crypto.randomUUID()}@people.test`,
        firstName: 'Bo',
        lastName: 'Lind',
        password: 'correct horse battery',
      });
      await api.put('user', { id: created.body, lastName: 'Lind-Holm' });
      await api.put('userLicense', { userId: created.body, licenseTypeId: 2 });
      const changes = await changesOf(created.body);
      expect(changes.map(({ action }) => action)).toEqual(['license.change', 'user.update', 'user.create']);
      expect(changes[1]).toMatchObject({
        changes: { lastName: ['Lind', 'Lind-Holm'] },
        changedBy: admin.userId,
        changedByName: 'Ada Okafor',
        proxyUserId: null,
        ipAddress: '127.0.0.1',
      });
      expect(JSON.stringify(changes)).not.toContain('correct horse');
      expect((await changesOf(created.body, 'pageSize=1&pageNumber=2')).map(({ action }) => action)).toEqual([
        'user.update',
      ]);
      await api.del(`user/${created.body}`);
      expect((await changesOf(created.body)).map(({ action }) => action)[0]).toBe('user.remove');
    });

    test('of nobody here is 404', async () => {
      const other = await makePerson(house().db, await makeSite(house().db));
      expect((await api.get(`user/${other.userId}/changes`)).status).toBe(404);
      expect(await changesOf(admin.userId)).toEqual([]);
    });
  });

  test('investigations keep their rows, whatever is written, changed or deleted afterwards', async () => {
    const { db } = house();
    await writeRows(db, admin.siteId, [row(), row({ type: 2 }), row({ type: 2, ip: null })]);
    const made = await api.post<{ id: number; sha256: string }>('user/activity/investigations', {
      name: 'Failures',
      notes: 'Asked by support.',
      query: { activity: 2 },
    });
    expect(made.body).toMatchObject({
      name: 'Failures',
      totalRecords: 2,
      frozenRows: 2,
      createdByName: 'Ada Okafor',
    });
    const path = `user/activity/investigations/${made.body.id}`;
    const before = await api.get<{ info: object; rows: object[] }>(path);
    expect(before.body.rows).toEqual((await report({ activity: 2 })).rows);
    const text = JSON.stringify(before.body.rows);
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    expect(Buffer.from(hash).toString('hex')).toBe(made.body.sha256);
    await sql`delete from activity where site_id = ${admin.siteId}`.execute(db);
    expect((await api.put<object>(path, { notes: 'It was the new office.' })).body).toMatchObject({
      name: 'Failures',
      notes: 'It was the new office.',
      sha256: made.body.sha256,
    });
    expect((await api.get<{ rows: object[] }>(path)).body.rows).toEqual(before.body.rows);
    expect((await api.get<object[]>('user/activity/investigations')).body).toHaveLength(1);
    expect((await api.put<Refusal>(path, { name: ' ' })).status).toBe(400);
    const refused = await api.post<Refusal>('user/activity/investigations', {
      name: 'x',
      query: { exportDataType: 1 },
    });
    expect(refused.body.errors).toMatchObject([{ path: 'query.exportDataType' }]);
    const stranger = as(house().app, await makePerson(db, await makeSite(db)));
    for (const call of [stranger.get(path), stranger.put(path, { name: 'Taken' }), stranger.del(path)])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await call).status).toBe(404);
    expect((await api.del(path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
    const audited = await db
      .selectFrom('audit_log')
      .select('action')
      .where('site_id', '=', admin.siteId)
      .orderBy('audit_id')
      .execute();
    expect(audited.map(({ action }) => action)).toEqual([
      'investigation.create',
      'investigation.update',
      'investigation.delete',
    ]);
  });
});
