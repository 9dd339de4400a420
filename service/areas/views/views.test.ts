import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { NewSavedView, SavedView } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const TYPES = '/api/rest/v4/schema/entrytypes';
const VIEWS = `${TYPES}/Deal/views`;

const buildView = (more: Partial<NewSavedView> = {}): NewSavedView => ({
  name: 'Won',
  search: '',
  query: '{Stage: 4}',
  sort: '-Amount',
  columns: { order: ['Amount'], hidden: ['Notes'], widths: { Zone: 90, Amount: 140 }, frozen: 2 },
  ...more,
});

const saveView = async (calls: ApiClient, more: Partial<NewSavedView> = {}) => {
  const { status, body } = await calls.post<SavedView>(VIEWS, buildView(more));
  expect(status).toBe(200);
  return body;
};
const listNames = async (calls: ApiClient) =>
  (await calls.get<SavedView[]>(VIEWS)).body.map(({ name }) => name);

onEachApp((context) => {
  let siteId = 0;
  let dana: Person;
  let owner: ApiClient;
  let reader: ApiClient;
  let admin: ApiClient;
  beforeEach(async () => {
    const { db, app } = context();
    siteId = await makeSite(db);
    dana = await makePerson(db, siteId, { capabilities: ['Access Web Service', 'Read Data', 'Write Data'] });
    owner = as(app, dana);
    reader = as(app, await makePerson(db, siteId, { capabilities: ['Access Web Service', 'Read Data'] }));
    admin = as(
      app,
      await makePerson(db, siteId, { capabilities: ['Access Web Service', 'Read Data', 'Manage Schema'] }),
    );
    await admin.post(TYPES, { apiName: 'Deal', singularName: 'Deal', pluralName: 'Deals' });
    await admin.post(TYPES, { apiName: 'Firm', singularName: 'Firm', pluralName: 'Firms' });
  });

  test('stores a view and shows it to its owner only until it is shared', async () => {
    const saved = await saveView(owner);
    expect(saved).toMatchObject({ ...buildView(), isShared: false, ownerId: dana.userId });
    const read = await owner.get<SavedView>(`${VIEWS}/${saved.id}`);
    expect(read.body).toEqual(saved);
    // The tag of a read completes that of the version.
    expect(read.headers.etag).toContain(saved.etag.slice(0, -1));
    expect(Object.keys(read.body.columns.widths)).toEqual(['Zone', 'Amount']);
    expect(await listNames(reader)).toEqual([]);
    expect((await reader.get(`${VIEWS}/${saved.id}`)).status).toBe(404);
    expect((await admin.put(`${VIEWS}/${saved.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await owner.get(`${TYPES}/Firm/views/${saved.id}`)).status).toBe(404);

    expect((await owner.put(`${VIEWS}/${saved.id}`, { isShared: true })).status).toBe(200);
    expect(await listNames(reader)).toEqual(['Won']);
  });

  test('sharing requires Write Data or Manage Schema; changing a shared view of others requires Manage Schema', async () => {
    expect((await reader.post(VIEWS, buildView({ isShared: true }))).status).toBe(403);
    const own = await saveView(reader, { name: 'My own' });
    expect((await reader.put(`${VIEWS}/${own.id}`, { isShared: true })).status).toBe(403);
    expect((await reader.put(`${VIEWS}/${own.id}`, { name: 'Still my own' })).status).toBe(200);

    const shared = await saveView(owner, { isShared: true });
    expect((await reader.put(`${VIEWS}/${shared.id}`, { sort: '' })).status).toBe(403);
    expect((await reader.del(`${VIEWS}/${shared.id}`)).status).toBe(403);
    const changed = await admin.put<SavedView>(`${VIEWS}/${shared.id}`, { name: ' Won deals ' });
    expect(changed.body).toMatchObject({ name: 'Won deals', ownerId: dana.userId, sort: '-Amount' });
    // An administrator makes it private again: only its owner sees it from then on.
    expect((await admin.put(`${VIEWS}/${shared.id}`, { isShared: false })).status).toBe(200);
    expect(await listNames(admin)).toEqual([]);
    expect(await listNames(owner)).toEqual(['Won deals']);
  });

  test('rejects concurrent changes with 412', async () => {
    const { id, etag } = await saveView(owner, { isShared: true });
    const path = `${VIEWS}/${id}`;
    const headers = { 'if-match': etag };
    const changed = await owner.put<SavedView>(path, { sort: 'Name' }, { headers });
    expect(changed.headers.etag).toBe(changed.body.etag);
    expect((await admin.put(path, { sort: '' }, { headers })).status).toBe(412);
    expect((await admin.del(path, undefined, { headers })).status).toBe(412);
    // An update without changes keeps the version.
    expect((await owner.put<SavedView>(path, buildView({ sort: 'Name' }))).body.etag).toBe(changed.body.etag);
    const last = await admin.del(path, undefined, { headers: { 'if-match': changed.body.etag } });
    expect(last.status).toBe(204);
    expect(await listNames(owner)).toEqual([]);
  });

  test('names are unique per owner, ignoring case, when created and renamed', async () => {
    await saveView(owner);
    const again = await owner.post<ErrorBody>(VIEWS, buildView({ name: 'WON' }));
    expect(again.status).toBe(409);
    expect(again.body.errors).toEqual([{ path: 'name', message: 'is the name of another view' }]);
    const other = await saveView(owner, { name: 'Lost' });
    expect((await owner.put(`${VIEWS}/${other.id}`, { name: 'won' })).status).toBe(409);
    await saveView(reader);
    expect((await owner.post(`${TYPES}/Firm/views`, buildView())).status).toBe(200);
  });

  test('rejects views that are too large or have an empty name', async () => {
    expect((await owner.post<ErrorBody>(VIEWS, buildView({ name: '  ' }))).status).toBe(400);
    expect((await owner.post(VIEWS, buildView({ query: 'x'.repeat(32_769) }))).status).toBe(400);
    const widths = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`${'F'.repeat(200)}${at}`, 90]),
    );
    const large = await owner.post<ErrorBody>(
      VIEWS,
      buildView({ columns: { ...buildView().columns, widths } }),
    );
    expect(large.body.errors).toMatchObject([{ path: 'columns' }]);
    expect(
      (await owner.post(VIEWS, buildView({ columns: { ...buildView().columns, frozen: 0 } }))).status,
    ).toBe(400);
  });

  test('audits every change, and deletes views with their entry type', async () => {
    const { id } = await saveView(owner);
    await owner.put(`${VIEWS}/${id}`, { sort: '' });
    await owner.del(`${VIEWS}/${id}`);
    const { rows } = await sql<{ action: string; changes: object }>`
      select action, changes from audit_log where site_id = ${siteId} and subject_type = 'view'
      order by audit_id`.execute(context().db);
    expect(rows.map(({ action }) => action)).toEqual(['view.create', 'view.update', 'view.delete']);
    expect(rows[1]?.changes).toEqual({ sort: ['-Amount', ''] });

    await saveView(owner);
    expect((await admin.del(`${TYPES}/Deal`)).status).toBe(204);
    expect((await owner.get(VIEWS)).status).toBe(404);
  });

  test('keeps pinned filters with the view, and refuses those that no condition can have', async () => {
    const fields = `${TYPES}/Deal/fields`;
    await admin.post(fields, { apiName: 'Amount', name: 'Amount', fieldType: 3 });
    const pinned = [
      { field: 'Amount', operator: '$gte' as const },
      { field: 'EntryId', operator: '$in' as const },
    ];
    const saved = await saveView(owner, { pinned, isShared: true });
    expect(saved.pinned).toEqual(pinned);
    expect((await saveView(owner, { name: 'Plain' })).pinned).toEqual([]);
    const put = (client: ApiClient, body: object) =>
      client.put<SavedView & ErrorBody>(`${VIEWS}/${saved.id}`, body);
    expect((await put(owner, { name: 'Renamed' })).body.pinned).toEqual(pinned);
    expect((await put(reader, { pinned: [] })).status).toBe(403);
    const refused = await put(owner, {
      pinned: [
        { field: 'Nothing', operator: '$eq' },
        { field: 'Amount', operator: '$contains' },
        { field: 'Amount', operator: '$lt' },
        { field: 'amount', operator: '$lt' },
      ],
    });
    expect(refused.status).toBe(400);
    for (const text of ['pinned.0.field', 'pinned.1.operator', 'pinned.3'])
      expect(refused.text).toContain(text);
    expect(refused.text).not.toContain('pinned.2');
    expect((await put(owner, { pinned: [{ field: 'Amount', operator: '$near' }] })).status).toBe(400);
    const update = await put(owner, { pinned: pinned.slice(1) });
    expect(update.body.pinned).toEqual(pinned.slice(1));
    const read = await reader.get<SavedView>(`${VIEWS}/${saved.id}`);
    expect(read.body.pinned).toEqual(pinned.slice(1));
    const { rows } = await sql<{ changes: object }>`
      select changes from audit_log where site_id = ${siteId} and action = 'view.update'
      order by audit_id desc limit 1`.execute(context().db);
    expect(rows[0]?.changes).toHaveProperty('pinned');
  });
});
