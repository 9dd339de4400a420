import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { ApiKeySecret, ConfigurationChanges } from '../../../contract/generated/types.gen.ts';
import { encodeCursor } from '../../kernel/http/cursor.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { MAX_SCANNED_ROWS } from './configuration.ts';

const LOG = '/api/rest/v1/management/configuration/changes';

onEachApp((context) => {
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    admin = await makePerson(context().db, await makeSite(context().db));
    api = as(context().app, admin);
  });

  const read = async (query = '') => (await api.get<ConfigurationChanges>(`${LOG}?${query}`)).body;
  const listActions = async (query: string) => (await read(query)).changes.map(({ action }) => action);

  test('shows who changed what from which value to which, by kind, author, period and text, and no secret', async () => {
    const groupId = await makeGroup(context().db, admin.siteId, ['Read Data']);
    const other = await makePerson(context().db, admin.siteId);
    await as(context().app, other).put(`user/group/${groupId}`, { name: 'Analysts', capabilities: [] });
    await api.put('/api/rest/v1/management/settings', { timeZone: 'Europe/Vienna' });
    const owner = as(context().app, other, 'console');
    await owner.del('/api/session/apikey');
    const { body: key } = await owner.post<ApiKeySecret>('/api/session/apikey', { scopes: ['data'] });
    // A change of a user is not one of the configuration.
    await api.put('user', { id: other.userId, lastName: 'Berg' });

    const { body, text } = await api.get<ConfigurationChanges>(LOG);
    const { changes, next } = body;
    expect(next).toBeUndefined();
    expect(key.clientSecret.length).toBeGreaterThan(20);
    expect(text).not.toContain(key.clientSecret);
    expect(changes.map(({ kind, action }) => [kind, action])).toEqual([
      ['key', 'user.api-key-on'],
      ['key', 'user.api-key-off'],
      ['setting', 'site.update'],
      ['group', 'group.update'],
    ]);
    const group = changes.at(-1);
    expect(group).toMatchObject({
      subjectType: 'group',
      subjectId: String(groupId),
      subjectName: 'Analysts',
      changedBy: other.userId,
      ipAddress: '127.0.0.1',
      isShortened: false,
    });
    expect(group?.changes['capabilities']).toEqual([['Read Data'], []]);

    expect(await listActions('kinds=group&kinds=topic')).toEqual(['group.update']);
    expect(await listActions(`userIds=${other.userId}`)).not.toContain('site.update');
    expect(await listActions('search=vIEnna')).toEqual(['site.update']);
    expect(await listActions('search=%25')).toEqual([]);
    await api.put(`user/group/${groupId}`, { name: 'Österreich' });
    expect(await listActions(`search=${encodeURIComponent('öSTERREICH')}`)).toEqual(['group.update']);
    expect(await listActions(`from=${group?.date}`)).toContain('group.update');
    expect(await listActions(`to=${group?.date}`)).toEqual([]);
  });

  test('pages do not overlap, and a search reads a limited number of changes at a time', async () => {
    const insertRows = (count: number, name: string) =>
      sql`insert into audit_log (site_id, at, action, subject_type, subject_id, subject_name, configuration_kind, request_id, changes)
        select ${admin.siteId}, now() - make_interval(mins => i), 'topic.update', 'topic', '1', ${name}, 'topic', '', '{}'
        from generate_series(1, ${count}::int) i`.execute(context().db);
    await insertRows(MAX_SCANNED_ROWS + 1, 'noise');
    await sql`update audit_log set subject_name = 'needle' where audit_id in (
      select audit_id from audit_log where site_id = ${admin.siteId} order by at limit 1)`.execute(
      context().db,
    );

    const first = await read('limit=2');
    const second = await read(`limit=2&cursor=${first.next}`);
    const ids = [...first.changes, ...second.changes].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));

    // The only match lies behind the changes that one request reads.
    const nothing = await read('search=needle');
    expect(nothing.changes).toEqual([]);
    expect(nothing.readUntil).toBeDefined();
    const found = await read(`search=needle&cursor=${nothing.next}`);
    expect(found).toMatchObject({ changes: [{ subjectName: 'needle' }] });
    expect(found.next).toBeUndefined();

    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain select from audit_log l
      where l.site_id = ${admin.siteId} and l.configuration_kind is not null
      order by l.at desc, l.audit_id desc limit 10`.execute(context().db);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('audit_log_configuration');
  });

  test('rejects an invalid period and cursor, and needs View Activity', async () => {
    const { status, body } = await api.get<ErrorBody>(`${LOG}?from=2026-02-31&to=2026-99-99`);
    expect(status).toBe(400);
    expect(body.errors?.map(({ path }) => path)).toEqual(['from', 'to']);
    expect((await api.get<ErrorBody>(`${LOG}?from=2026-02-02&to=2026-02-01`)).body.errors).toEqual([
      { path: 'to', message: 'must be after from' },
    ]);
    expect((await api.get(`${LOG}?cursor=abc`)).status).toBe(400);
    const yearZero = encodeCursor(['0000-01-01T00:00:00.000Z', 1]);
    expect((await api.get(`${LOG}?cursor=${yearZero}`)).status).toBe(400);
    const reader = await makePerson(context().db, admin.siteId, { capabilities: ['Manage Settings'] });
    expect((await as(context().app, reader).get(LOG)).status).toBe(403);
  });
});
