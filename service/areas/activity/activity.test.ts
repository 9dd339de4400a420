import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  LastActivity,
  PagedResultOfUserActivityEntry,
  UserChange,
} from '../../../contract/generated/types.gen.ts';
import { insertRows } from '../../testing/activity.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

onEachApp((context) => {
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    admin = await makePerson(context().db, await makeSite(context().db));
    api = as(context().app, admin);
  });

  const loadReport = async (query: object = {}, page = '') =>
    (await api.post<PagedResultOfUserActivityEntry>(`user/activity?${page}`, query)).body;
  const requireRefused = async (query: object) => {
    const { status, body } = await api.post<ErrorBody>('user/activity', query);
    expect(status).toBe(400);
    return body.errors?.map(({ path }) => path) ?? [];
  };
  const buildRow = (more: object = {}) => ({
    at: Date.now() - 1000,
    userId: admin.userId,
    type: 1,
    source: 1,
    ip: '203.0.113.7',
    principalId: null,
    exportKind: null,
    ...more,
  });

  test('tells when members were last active, and nothing of others', async () => {
    const { db } = context();
    const [quiet, active] = [await makePerson(db, admin.siteId), await makePerson(db, admin.siteId)];
    const stranger = await makePerson(db, await makeSite(db));
    const at = new Date('2026-01-02T03:04:05.000Z');
    await db
      .updateTable('membership')
      .set({ last_active_at: at })
      .where('site_id', '=', admin.siteId)
      .where('user_id', '=', active.userId)
      .execute();
    const userIds = [quiet.userId, active.userId, stranger.userId];
    const { body } = await api.post<LastActivity[]>('user/activity/last', { userIds });
    expect(body.toSorted((a, b) => a.userId - b.userId)).toEqual([
      { userId: quiet.userId, lastActivityDate: null },
      { userId: active.userId, lastActivityDate: at.toISOString() },
    ]);
    expect((await api.post('user/activity/last', { userIds: [] })).status).toBe(400);
  });

  describe('rejects (shapes 2)', () => {
    test.each([
      [{ dateFrom: daysAgo(92) }, ['dateFrom']],
      [{ dateFrom: '2026-02-31' }, ['dateFrom']],
      [{ dateFrom: daysAgo(3), dateTo: daysAgo(2.1) }, ['dateTo']],
      [{ dateTo: daysAgo(91) }, ['dateTo']],
      [{ exportDataType: 0 }, ['exportDataType']],
      [{ exportDataType: 1, activity: 1 }, ['exportDataType']],
      [{ exportDataType: 1, activities: [8, 1] }, ['exportDataType']],
      [{ exportedType: 'Users' }, ['exportedType']],
      [{ activity: 1, activities: [2] }, ['activities']],
      [{ source: 1, sources: [2] }, ['sources']],
      [{ activity: 11, source: 0, exportDataType: 5 }, ['activity', 'source', 'exportDataType']],
    ])('%j', async (query, paths) => {
      expect(await requireRefused(query)).toEqual(paths);
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
    ])('the invalid address %s', async (ipAddress) => {
      const { body } = await api.post<ErrorBody>('user/activity', { ipAddress });
      expect(body.errors).toEqual([
        {
          path: 'ipAddress',
          message: 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24 or 2001:db8::/32',
        },
      ]);
    });

    test('a summary period that ends before it begins, but not a short one', async () => {
      const path = 'user/activity/summary';
      expect((await api.post(path, { dateFrom: daysAgo(3), dateTo: daysAgo(2.99) })).status).toBe(200);
      const { body } = await api.post<ErrorBody>(path, { dateFrom: daysAgo(3), dateTo: daysAgo(3.01) });
      expect(body.errors).toEqual([{ path: 'dateTo', message: 'must be after dateFrom' }]);
    });

    test('with all errors at once, and tells the earliest date', async () => {
      const query = {
        dateFrom: '2001-01-01',
        dateTo: '2001-01-01',
        exportDataType: 2,
        ipAddress: 'x',
        sources: [1],
        source: 1,
      };
      expect(await requireRefused(query)).toEqual([
        'dateFrom',
        'dateTo',
        'sources',
        'exportDataType',
        'ipAddress',
      ]);
      const { body } = await api.post<ErrorBody>('user/activity', { dateFrom: '2001-01-01' });
      expect(body.message).toMatch(
        /^dateFrom: must be at most 90 days back: \d{4}-\d\d-\d\dT00:00:00.000Z or later$/,
      );
    });
  });

  test('the report starts at the beginning of the day 90 days ago, by default and at the earliest', async () => {
    const first = Math.floor(Date.now() / DAY_MS) * DAY_MS - 90 * DAY_MS;
    await insertRows(context().db, admin.siteId, [buildRow({ at: first - 1 }), buildRow({ at: first })]);
    expect((await loadReport()).totalRecords).toBe(1);
    const day = new Date(first).toISOString().slice(0, 10);
    expect((await loadReport({ dateFrom: day })).totalRecords).toBe(1);
    expect(
      (await loadReport({ dateFrom: day, dateTo: new Date(first + DAY_MS).toISOString() })).totalRecords,
    ).toBe(1);
  });

  test('returns names, codes with their texts, and the details of an export by a proxy', async () => {
    const principal = await makePerson(context().db, admin.siteId);
    const [inserted] = await insertRows(context().db, admin.siteId, [
      buildRow({ type: 8, source: 3, ip: '2001:DB8::7', principalId: principal.userId, exportKind: 0 }),
    ]);
    const { rows } = await loadReport({ activity: 8, exportDataType: 0 });
    expect(rows).toEqual([
      {
        activityId: inserted?.id,
        userId: admin.userId,
        userName: admin.email,
        fullName: 'Ada Okafor',
        eventDate: new Date(inserted?.at ?? 0).toISOString(),
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

  test('filters exports by what was exported, with other filters and in the summary', async () => {
    const other = await makePerson(context().db, admin.siteId);
    const exports = await insertRows(context().db, admin.siteId, [
      buildRow({ type: 8, exportKind: 0 }),
      buildRow({ type: 8, exportKind: 0, userId: other.userId }),
      buildRow({ type: 8, exportKind: 0 }),
      buildRow({ type: 8, exportKind: 4 }),
    ]);
    const types = ['Companies', 'Companies', 'Users', undefined];
    for (const [index, { id }] of exports.entries()) {
      const content = {
        subject: 'any',
        rows: 1,
        filter: null,
        fields: [],
        format: 'csv',
        type: types[index],
      };
      const detail = types[index] === undefined ? null : JSON.stringify(content);
      await sql`update activity set export_detail = ${detail}::jsonb where activity_id = ${id}`.execute(
        context().db,
      );
    }
    const [companies, ofOther] = exports.map(({ id }) => id);
    const query = { activity: 8, exportedType: 'Companies' };
    const list = async (more: object = {}) =>
      (await loadReport({ ...query, ...more })).rows.map(({ activityId }) => activityId);
    expect(new Set(await list())).toEqual(new Set([companies, ofOther]));
    expect(await list({ userIds: [other.userId] })).toEqual([ofOther]);
    expect(await list({ ipAddress: '198.51.100.1' })).toEqual([]);
    expect(await list({ exportDataType: 4 })).toEqual([]);
    const summary = await api.post<{ totalRecords: number }>('user/activity/summary', query);
    expect(summary.body).toMatchObject({ counts: [{ activityTypeId: 8, count: 2 }] });
  });

  test('names users who have left the site', async () => {
    const formerMember = await makePerson(context().db, admin.siteId);
    await insertRows(context().db, admin.siteId, [buildRow({ userId: formerMember.userId })]);
    expect((await api.del(`user/${formerMember.userId}`)).status).toBe(200);
    expect((await loadReport({ userIds: [formerMember.userId] })).rows).toMatchObject([
      { userName: formerMember.email },
    ]);
  });

  test('contains rows of this site only, also for users of two sites', async () => {
    const { db, app } = context();
    const other = await makePerson(db, await makeSite(db));
    await joinSite(db, other.siteId, admin.userId);
    await insertRows(db, admin.siteId, [buildRow()]);
    await insertRows(db, other.siteId, [buildRow(), buildRow({ userId: other.userId })]);
    expect((await loadReport()).totalRecords).toBe(1);
    expect((await loadReport({ userIds: [other.userId] })).totalRecords).toBe(0);
    const otherReport = await as(app, other).post<PagedResultOfUserActivityEntry>('user/activity', {});
    expect(otherReport.body.totalRecords).toBe(2);
  });

  test('a row is read by its id, by its own site only', async () => {
    const { db, app } = context();
    const other = await makePerson(db, await makeSite(db));
    await insertRows(db, admin.siteId, [buildRow(), buildRow({ type: 2 })]);
    const [row] = (await loadReport()).rows;
    const path = `user/activity/${row?.activityId}`;
    expect((await api.get(path)).body).toEqual(row);
    const refused = await as(app, other).get<ErrorBody>(path);
    expect([refused.status, refused.body.message]).toEqual([
      404,
      `Activity ${row?.activityId} does not exist on this site`,
    ]);
    expect((await api.get('user/activity/0')).status).toBe(400);
    const withoutReport = await makePerson(db, admin.siteId, { capabilities: ['Manage Users'] });
    expect((await as(app, withoutReport).get(path)).status).toBe(403);
  });

  const listChanges = async (userId: number, page = '') =>
    (await api.get<UserChange[]>(`user/${userId}/changes?${page}`)).body;

  describe('changes of a user', () => {
    test('are listed newest first with their author', async () => {
      const created = await api.post<number>('user', {
        email: `${crypto.randomUUID()}@people.test`,
        firstName: 'Bo',
        lastName: 'Lind',
        password: 'correct horse battery',
      });
      await api.put('user', { id: created.body, lastName: 'Lind-Holm' });
      await api.put('userLicense', { userId: created.body, licenseTypeId: 2 });
      const changes = await listChanges(created.body);
      expect(changes.map(({ action }) => action)).toEqual(['license.change', 'user.update', 'user.create']);
      expect(changes[1]).toMatchObject({
        changes: { lastName: ['Lind', 'Lind-Holm'] },
        changedBy: admin.userId,
        changedByName: 'Ada Okafor',
        proxyUserId: null,
        ipAddress: '127.0.0.1',
      });
      expect(JSON.stringify(changes)).not.toContain('correct horse');
      expect(
        (await listChanges(created.body, 'pageSize=1&pageNumber=2')).map(({ action }) => action),
      ).toEqual(['user.update']);
      await api.del(`user/${created.body}`);
      expect((await listChanges(created.body)).map(({ action }) => action)[0]).toBe('user.remove');
    });

    test('are 404 for a user whom the site does not know', async () => {
      const stranger = await makePerson(context().db, await makeSite(context().db));
      expect((await api.get(`user/${stranger.userId}/changes`)).status).toBe(404);
      expect(await listChanges(admin.userId)).toEqual([]);
    });
  });

  test('investigations keep their rows when activity is added, changed or deleted', async () => {
    const { db } = context();
    await insertRows(db, admin.siteId, [buildRow(), buildRow({ type: 2 }), buildRow({ type: 2, ip: null })]);
    const created = await api.post<{ id: number; sha256: string }>('user/activity/investigations', {
      name: 'Failures',
      notes: 'Asked by support.',
      query: { activity: 2 },
    });
    expect(created.body).toMatchObject({
      name: 'Failures',
      totalRecords: 2,
      frozenRows: 2,
      createdByName: 'Ada Okafor',
    });
    const path = `user/activity/investigations/${created.body.id}`;
    const before = await api.get<{ info: object; rows: object[] }>(path);
    expect(before.body.rows).toEqual((await loadReport({ activity: 2 })).rows);
    const text = JSON.stringify(before.body.rows);
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    expect(Buffer.from(hash).toString('hex')).toBe(created.body.sha256);
    await sql`delete from activity where site_id = ${admin.siteId}`.execute(db);
    expect((await api.put<object>(path, { notes: 'It was the new office.' })).body).toMatchObject({
      name: 'Failures',
      notes: 'It was the new office.',
      sha256: created.body.sha256,
    });
    const headers = { 'if-match': String((await api.get(path)).headers.etag) };
    const edits = await Promise.all(
      ['First', 'Second'].map((notes) => api.put(path, { notes }, { headers })),
    );
    expect(new Set(edits.map(({ status }) => status))).toEqual(new Set([200, 412]));
    expect((await api.get<{ rows: object[] }>(path)).body.rows).toEqual(before.body.rows);
    expect((await api.get<object[]>('user/activity/investigations')).body).toHaveLength(1);
    expect((await api.put<ErrorBody>(path, { name: ' ' })).status).toBe(400);
    const refused = await api.post<ErrorBody>('user/activity/investigations', {
      name: 'x',
      query: { exportDataType: 1 },
    });
    expect(refused.body.errors).toMatchObject([{ path: 'query.exportDataType' }]);
    const stranger = as(context().app, await makePerson(db, await makeSite(db)));
    for (const call of [stranger.get(path), stranger.put(path, { name: 'Taken' }), stranger.del(path)])
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
      'investigation.update',
      'investigation.delete',
    ]);
  });
});
