import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeThings, recalculate, type Things } from '../../testing/entries/entries.ts';
import { as, onEachApp } from '../../testing/site.ts';
import {
  type DataDependency,
  type DataVersion,
  isUnchangedSql,
  loadChangesSince,
  loadVersion,
} from './type-versions.ts';

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });

  const createDependency = (fieldNames: readonly string[], typeId = things.typeId): DataDependency => ({
    siteId: things.siteId,
    entries: { typeId, fieldIds: fieldNames.map((name) => things.field(name).id) },
  });
  const dependOnSite = (): DataDependency => ({ siteId: things.siteId, entries: 'all' });

  const loadVersions = (dependencies: readonly DataDependency[]): Promise<DataVersion[]> =>
    Promise.all(dependencies.map((dependency) => loadVersion(context().db, dependency)));

  async function areUnchanged(dependencies: readonly DataDependency[], versions: readonly DataVersion[]) {
    const tests = dependencies.map((dependency, index) => isUnchangedSql(dependency, versions[index] ?? ''));
    const { rows } = await sql<{
      unchanged: boolean[];
    }>`select array[${sql.join(tests)}] as unchanged`.execute(context().db);
    return rows[0]?.unchanged;
  }

  test('tells changes by type and field', async () => {
    const dependencies = [
      createDependency(['Score']),
      createDependency(['Memo', 'Score']),
      createDependency(['Memo']),
      createDependency([]),
      createDependency(['Score'], things.typeId + 1),
      dependOnSite(),
    ];
    const [id = 0] = await things.create({ Name: 'One' });
    await things.update(id, { Score: 77, Memo: 'changed before' });
    const versions = await loadVersions(dependencies);
    expect(await areUnchanged(dependencies, versions)).toEqual([true, true, true, true, true, true]);
    await things.update(id, { Score: 78 });
    expect(await areUnchanged(dependencies, versions)).toEqual([false, false, true, true, true, false]);
    const laterVersions = await loadVersions(dependencies);
    await things.remove(...(await things.create({ Name: 'Temporary' })));
    expect(await areUnchanged(dependencies, laterVersions)).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
    // Events are for subscribers only.
    await context().db.deleteFrom('topic_event').where('site_id', '=', things.siteId).execute();
    expect(await areUnchanged(dependencies, laterVersions)).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(await areUnchanged(dependencies, await loadVersions(dependencies))).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  test('raises the version for each kind of change', async () => {
    const { db, app } = context();
    const [one = 0, two = 0, three = 0] = await things.create(
      { Name: 'One', Score: 1 },
      { Name: 'Two' },
      { Name: 'Three' },
    );
    await recalculate(db);
    const admin = as(app, things.person, 'console');
    const scenarios: readonly [fields: readonly string[], change: () => Promise<unknown>][] = [
      [['Score'], () => things.update(one, { Score: 2 })],
      [['Twice'], () => recalculate(db)],
      [['Parent'], () => things.update(one, { Parent: two })],
      // Deleting an entry empties the references to it.
      [['Parent'], () => things.remove(two)],
      [[], () => admin.post(`/api/rest/v4/data/entrydata/Thing/restore`, [two])],
      [[], () => things.merge(one, three)],
      [[], () => things.create({ Name: 'Four' })],
      [[], () => things.api.put(`/api/rest/v4/schema/fields/${things.field('Memo').id}`, { name: 'Text' })],
    ];
    for (const [fields, change] of scenarios) {
      const dependencies = [createDependency(fields), dependOnSite()];
      const versions = await loadVersions(dependencies);
      await change();
      expect(await areUnchanged(dependencies, versions)).toEqual([false, false]);
    }
  });

  test('does not raise the version for a rejected change', async () => {
    const [id = 0] = await things.create({ Name: 'One' });
    const dependencies = [createDependency(['Score']), dependOnSite()];
    const versions = await loadVersions(dependencies);
    const rejected = await things.store('put', things.items(id, { Score: 'not a number' }));
    expect(rejected.status).toBe(400);
    expect(await areUnchanged(dependencies, versions)).toEqual([true, true]);
    expect(await loadVersions(dependencies)).toEqual(versions);
  });

  test('is not current for a result from a later version than the statement sees', async () => {
    await things.create({ Name: 'One' });
    const dependency = createDependency(['Score']);
    const version = await loadVersion(context().db, dependency);
    expect(await areUnchanged([dependency], [String(Number(version) + 1)])).toEqual([false]);
  });

  test('knows the start of the oldest transaction since a version, for the last 200 versions', async () => {
    const { db } = context();
    const [id = 0] = await things.create({ Name: 'One' });
    const load = (version: DataVersion) => loadChangesSince(db, things.siteId, things.typeId, version);
    const first = await loadVersion(db, createDependency([]));
    expect(await load(first)).toEqual({ version: first, since: undefined });
    await things.update(id, { Score: 1 });
    const { version, since } = await load(first);
    const { rows } = await sql<{
      at: Date;
    }>`select at from cell_log where site_id = ${things.siteId}`.execute(db);
    const [change] = rows;
    expect(since?.getTime()).toBeLessThanOrEqual(change?.at.getTime() ?? 0);
    await things.update(id, { Score: 2 });
    expect((await load(first)).since).toEqual(since);
    expect((await load(version)).since?.getTime()).toBeGreaterThanOrEqual(since?.getTime() ?? Infinity);
    await sql`update entry_type_version set version = version + 500 where site_id = ${things.siteId}`.execute(
      db,
    );
    expect((await load(first)).since).toBeUndefined();
  });

  test('is the same version for concurrent writers that were committed in turn', async () => {
    const ids = await things.create(...Array.from({ length: 8 }, (_, index) => ({ Name: `Thing ${index}` })));
    const dependency = createDependency(['Score']);
    const before = Number(await loadVersion(context().db, dependency));
    await Promise.all(ids.map((id, index) => things.update(id, { Score: index })));
    expect(Number(await loadVersion(context().db, dependency))).toBe(before + ids.length);
  });
});
