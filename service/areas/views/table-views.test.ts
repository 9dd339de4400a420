import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Capability, TableView } from '../../../contract/generated/types.gen.ts';
import { TABLE_VIEW_CAPABILITIES } from '../../../contract/rules/table-views.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const TABLES = '/api/rest/v1/management/tables';
const VIEWS = `${TABLES}/users/views`;
const layout = {
  order: ['email', 'status'],
  hidden: ['timeZone'],
  widths: { email: 260 },
  density: 'compact',
};

const save = async (client: ApiClient, info: object = {}, path = VIEWS) => {
  const reply = await client.post<TableView>(path, {
    name: 'Locked',
    address: 'status=locked',
    layout,
    ...info,
  });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.body;
};
const listNames = async (client: ApiClient, path = VIEWS) =>
  (await client.get<TableView[]>(path)).body.map(({ name }) => name);

onEachApp((context) => {
  let siteId = 0;
  let dana: Person;
  let owner: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    dana = await makePerson(context().db, siteId);
    owner = as(context().app, dana);
  });
  const makeClient = async (capabilities: readonly Capability[]) =>
    as(
      context().app,
      await makePerson(context().db, siteId, { capabilities: ['Access Web Service', ...capabilities] }),
    );
  test('a view keeps address, columns and density of its table; private ones are seen by their owner only', async () => {
    const reader = await makeClient(['Manage Groups']);
    const saved = await save(owner);
    expect(saved).toMatchObject({ address: 'status=locked', layout, isDefault: false, ownerId: dana.userId });
    expect(await listNames(owner)).toEqual(['Locked']);
    // Neither another user, another table nor another site has it.
    expect(await listNames(reader)).toEqual([]);
    expect(await listNames(owner, `${TABLES}/licenses/views`)).toEqual([]);
    const stranger = as(context().app, await makePerson(context().db, await makeSite(context().db)));
    expect(await listNames(stranger)).toEqual([]);
    for (const client of [reader, stranger])
      expect((await client.put(`${VIEWS}/${saved.id}`, { name: 'Taken' })).status).toBe(404);
    expect((await owner.put(`${TABLES}/licenses/views/${saved.id}`, { name: 'x' })).status).toBe(404);

    const renamed = await owner.put<TableView>(
      `${VIEWS}/${saved.id}`,
      { name: ' Locked out ', isShared: true },
      { headers: { 'if-match': saved.etag } },
    );
    expect(renamed.body).toMatchObject({ name: 'Locked out', address: 'status=locked', layout });
    expect(await listNames(reader)).toEqual(['Locked out']);
    const stale = { headers: { 'if-match': saved.etag } };
    expect((await owner.put(`${VIEWS}/${saved.id}`, { name: 'Old' }, stale)).status).toBe(412);
    expect((await owner.post<ErrorBody>(VIEWS, { name: 'LOCKED OUT', address: '', layout })).status).toBe(
      409,
    );
  });

  test('reading needs a capability of the table; sharing and changing shared views of others need more', async () => {
    const reader = await makeClient(['Manage Groups']);
    expect((await reader.get(`${TABLES}/changes/views`)).status).toBe(403);
    expect((await reader.post(VIEWS, { name: 'A', address: '', layout, isShared: true })).status).toBe(403);
    const own = await save(reader, { name: 'Own' });
    expect((await reader.put(`${VIEWS}/${own.id}`, { isShared: true })).status).toBe(403);
    const shared = await save(owner, { isShared: true });
    expect((await reader.put(`${VIEWS}/${shared.id}`, { name: 'B' })).status).toBe(403);
    expect((await reader.del(`${VIEWS}/${shared.id}`)).status).toBe(403);
    const settings = await makeClient(['Manage Groups', 'Manage Settings']);
    expect((await settings.del(`${VIEWS}/${shared.id}`)).status).toBe(204);
  });

  test('every list has its own views, for those who read its rows', async () => {
    const reader = await makeClient(['Run Reports']);
    const statuses: Record<string, number[]> = {};
    for (const table of Object.keys(TABLE_VIEW_CAPABILITIES)) {
      const path = `${TABLES}/${table}/views`;
      const view = { name: 'Mine', address: '', layout };
      statuses[table] = [
        (await reader.post(path, view)).status,
        (await reader.post(path, { ...view, isShared: true })).status,
      ];
      expect(await listNames(owner, path)).toEqual([]);
    }
    const readable = Object.keys(statuses).filter((table) => statuses[table]?.[0] === 200);
    expect(readable).toEqual([
      'entryTypes',
      'jobs',
      'exports',
      'sites',
      'reportTemplates',
      'reportSchedules',
      'reportRuns',
    ]);
    expect(new Set(Object.values(statuses).map(([, shared]) => shared))).toEqual(new Set([403]));
    expect(await listNames(reader, `${TABLES}/jobs/views`)).toEqual(['Mine']);
    const nobody = await makeClient([]);
    expect((await nobody.get(`${TABLES}/jobs/views`)).status).toBe(403);
    expect((await owner.get(`${TABLES}/nothing/views`)).status).toBe(400);
  });

  test('a table opens with the view that each user chose, while they see it; every change is audited', async () => {
    const reader = await makeClient(['Manage Groups']);
    const shared = await save(owner, { isShared: true });
    const choose = (client: ApiClient, viewId: number | null) => client.put(`${VIEWS}/default`, { viewId });
    const listDefaults = async (client: ApiClient) =>
      (await client.get<TableView[]>(VIEWS)).body.filter(({ isDefault }) => isDefault).map(({ id }) => id);
    expect((await choose(reader, shared.id)).status).toBe(204);
    expect(await listDefaults(reader)).toEqual([shared.id]);
    expect(await listDefaults(owner)).toEqual([]);
    const mine = await save(owner, { name: 'Mine' });
    expect((await choose(reader, mine.id)).status).toBe(404);
    await choose(owner, mine.id);
    await choose(owner, shared.id);
    await choose(owner, null);
    expect(await listDefaults(owner)).toEqual([]);
    await owner.put(`${VIEWS}/${shared.id}`, { isShared: false });
    expect(await listDefaults(reader)).toEqual([]);
    // The choice of another user goes with the view.
    expect((await owner.del(`${VIEWS}/${shared.id}`)).status).toBe(204);

    const { rows } = await sql<{ action: string }>`
      select action from audit_log where site_id = ${siteId} and subject_type = 'view' order by audit_id`.execute(
      context().db,
    );
    expect(rows.map(({ action }) => action.replace('view.', ''))).toEqual([
      'create',
      'default',
      'create',
      'default',
      'default',
      'default',
      'update',
      'delete',
    ]);
  });
});
