import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { NewSavedView, SavedView } from '../../../contract/generated/types.gen.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const TYPES = '/api/rest/v4/schema/entrytypes';
const VIEWS = `${TYPES}/Deal/views`;

const view = (more: Partial<NewSavedView> = {}): NewSavedView => ({
  name: 'Won',
  search: '',
  query: '{Stage: 4}',
  sort: '-Amount',
  columns: { order: ['Amount'], hidden: ['Notes'], widths: { Zone: 90, Amount: 140 }, frozen: 2 },
  ...more,
});

const save = async (calls: Calls, more: Partial<NewSavedView> = {}) => {
  const { status, body } = await calls.post<SavedView>(VIEWS, view(more));
  expect(status).toBe(200);
  return body;
};
const namesFor = async (calls: Calls) => (await calls.get<SavedView[]>(VIEWS)).body.map(({ name }) => name);

onEachApp((house) => {
  let siteId = 0;
  let dana: Person;
  let owner: Calls;
  let reader: Calls;
  let admin: Calls;
  beforeEach(async () => {
    const { db, app } = house();
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

  test('a view is kept as it was saved, and seen by its owner alone until it is shared', async () => {
    const saved = await save(owner);
    expect(saved).toMatchObject({ ...view(), isShared: false, ownerId: dana.userId });
    const read = await owner.get<SavedView>(`${VIEWS}/${saved.id}`);
    expect(read.body).toEqual(saved);
    expect(read.headers.etag).toBe(saved.etag);
    expect(Object.keys(read.body.columns.widths)).toEqual(['Zone', 'Amount']);
    expect(await namesFor(reader)).toEqual([]);
    expect((await reader.get(`${VIEWS}/${saved.id}`)).status).toBe(404);
    expect((await admin.put(`${VIEWS}/${saved.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await owner.get(`${TYPES}/Firm/views/${saved.id}`)).status).toBe(404);

    expect((await owner.put(`${VIEWS}/${saved.id}`, { isShared: true })).status).toBe(200);
    expect(await namesFor(reader)).toEqual(['Won']);
  });

  test('sharing takes Write Data or Manage Schema; a shared view of others Manage Schema', async () => {
    expect((await reader.post(VIEWS, view({ isShared: true }))).status).toBe(403);
    const own = await save(reader, { name: 'My own' });
    expect((await reader.put(`${VIEWS}/${own.id}`, { isShared: true })).status).toBe(403);
    expect((await reader.put(`${VIEWS}/${own.id}`, { name: 'Still my own' })).status).toBe(200);

    const shared = await save(owner, { isShared: true });
    expect((await reader.put(`${VIEWS}/${shared.id}`, { sort: '' })).status).toBe(403);
    expect((await reader.del(`${VIEWS}/${shared.id}`)).status).toBe(403);
    const changed = await admin.put<SavedView>(`${VIEWS}/${shared.id}`, { name: ' Won deals ' });
    expect(changed.body).toMatchObject({ name: 'Won deals', ownerId: dana.userId, sort: '-Amount' });
    // An administrator takes it back from everybody: it is its owner's alone, and out of the administrator's sight.
    expect((await admin.put(`${VIEWS}/${shared.id}`, { isShared: false })).status).toBe(200);
    expect(await namesFor(admin)).toEqual([]);
    expect(await namesFor(owner)).toEqual(['Won deals']);
  });

  test('of two who change a view the second is told', async () => {
    const { id, etag } = await save(owner, { isShared: true });
    const path = `${VIEWS}/${id}`;
    const headers = { 'if-match': etag };
    const changed = await owner.put<SavedView>(path, { sort: 'Name' }, { headers });
    expect(changed.headers.etag).toBe(changed.body.etag);
    expect((await admin.put(path, { sort: '' }, { headers })).status).toBe(412);
    expect((await admin.del(path, undefined, { headers })).status).toBe(412);
    // What changes nothing is no new version.
    expect((await owner.put<SavedView>(path, view({ sort: 'Name' }))).body.etag).toBe(changed.body.etag);
    const last = await admin.del(path, undefined, { headers: { 'if-match': changed.body.etag } });
    expect(last.status).toBe(204);
    expect(await namesFor(owner)).toEqual([]);
  });

  test('a name is given once by each owner, without regard to case, on creation and renaming', async () => {
    await save(owner);
    const again = await owner.post<Refusal>(VIEWS, view({ name: 'WON' }));
    expect(again.status).toBe(409);
    expect(again.body.errors).toEqual([{ path: 'name', message: 'is the name of another view' }]);
    const other = await save(owner, { name: 'Lost' });
    expect((await owner.put(`${VIEWS}/${other.id}`, { name: 'won' })).status).toBe(409);
    await save(reader);
    expect((await owner.post(`${TYPES}/Firm/views`, view())).status).toBe(200);
  });

  test('what is too large or empty is refused', async () => {
    expect((await owner.post<Refusal>(VIEWS, view({ name: '  ' }))).status).toBe(400);
    expect((await owner.post(VIEWS, view({ query: 'x'.repeat(32_769) }))).status).toBe(400);
    const widths = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`${'F'.repeat(200)}${at}`, 90]),
    );
    const large = await owner.post<Refusal>(VIEWS, view({ columns: { ...view().columns, widths } }));
    expect(large.body.errors).toMatchObject([{ path: 'columns' }]);
    expect((await owner.post(VIEWS, view({ columns: { ...view().columns, frozen: 0 } }))).status).toBe(400);
  });

  test('every change is in the audit log, and a type takes its views with it', async () => {
    const { id } = await save(owner);
    await owner.put(`${VIEWS}/${id}`, { sort: '' });
    await owner.del(`${VIEWS}/${id}`);
    const { rows } = await sql<{ action: string; changes: object }>`
      select action, changes from audit_log where site_id = ${siteId} and subject_type = 'view'
      order by audit_id`.execute(house().db);
    expect(rows.map(({ action }) => action)).toEqual(['view.create', 'view.update', 'view.delete']);
    expect(rows[1]?.changes).toEqual({ sort: ['-Amount', ''] });

    await save(owner);
    expect((await admin.del(`${TYPES}/Deal`)).status).toBe(204);
    expect((await owner.get(VIEWS)).status).toBe(404);
  });
});
