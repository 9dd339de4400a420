import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Capability, Scope, SiteFigures } from '../../../contract/generated/types.gen.ts';
import { makeThings, recalculate, type Things } from '../../testing/entries/entries.ts';
import { findSequentialScans } from '../../testing/measures/plans.ts';
import { as, makePerson, makeSite, onEachApp } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createFiguresTask, FIGURE_DAYS } from './figures.ts';

const PATH = '/api/rest/v1/management/settings/figures';
const DAY_MS = 86_400_000;
const getDay = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    await sql`truncate site_figure, task_failure`.execute(context().db);
    things = await makeThings(context());
  });

  const measure = () => runTask(createFiguresTask(context()));
  const list = async (query = '') => (await things.api.get<SiteFigures[]>(`${PATH}${query}`)).body;
  const listStored = async () =>
    (
      await sql<{ day: string; entries: number; changes: number; storage: number | null }>`
        select day, entries, changes, storage_bytes as storage from site_figure
        where site_id = ${things.siteId} order by day`.execute(context().db)
    ).rows;
  /** Makes everything that was written so far some days older. */
  const passDays = async (days: number) => {
    const { db } = context();
    await sql`update audit_log set at = at - make_interval(days => ${days}::int) where site_id = ${things.siteId}`.execute(
      db,
    );
    // Not one by one, since the rows have consecutive days.
    await sql`with old as (delete from site_figure where site_id = ${things.siteId} returning *)
      insert into site_figure select site_id, day - ${days}::int, entries, changes, storage_bytes,
        measured_at - make_interval(days => ${days}::int) from old`.execute(db);
  };
  const setStorage = (bytes: number) =>
    sql`insert into site_storage (site_id, used_bytes) values (${things.siteId}, ${bytes})
      on conflict (site_id) do update set used_bytes = excluded.used_bytes`.execute(context().db);

  test('counts what was written today, before and after it is stored, and stores it once an hour', async () => {
    const [one = 0, two = 0, three = 0] = await things.create({ Name: 'A' }, { Name: 'B' }, { Name: 'C' });
    await things.update(one, { Score: 2 });
    await things.update(one, { Score: 3 });
    await things.remove(two);
    await things.merge(one, three);
    // Calculated values are no changes of anybody.
    await recalculate(context().db);
    await setStorage(70_000);
    const restored = await as(context().app, things.person, 'console').post(
      `/api/rest/v4/data/entrydata/${things.typeId}/restore`,
      [two],
    );
    expect(restored.status).toBe(200);
    const today = { date: getDay(0), entries: 2, storageBytes: 70_000 };
    const [live, ...others] = await list();
    expect(live).toMatchObject(today);
    expect(others).toEqual([]);
    // Three created, two updates of one, one deleted, one merged into another that it changes, one restored.
    const { rows } = await sql<{ n: number }>`
      select sum(jsonb_array_length(changes -> 'entries'))::int as n from audit_log
      where site_id = ${things.siteId} and action like 'entry.%' and action not in ('entry.calculate', 'entry.return')`.execute(
      context().db,
    );
    expect(live?.changes).toBe(rows[0]?.n);
    expect(live?.changes).toBeGreaterThanOrEqual(8);

    await measure();
    expect(await list()).toEqual([live]);
    const stored = { day: getDay(0), entries: 2, changes: live?.changes, storage: 70_000 };
    expect(await listStored()).toEqual([stored]);
    await things.create({ Name: 'D' });
    await setStorage(80_000);
    // Another process finds nothing to do within the hour; the answer counts it nevertheless.
    await measure();
    expect(await listStored()).toEqual([stored]);
    expect(await list()).toMatchObject([{ entries: 3, storageBytes: 80_000 }]);
    await sql`update site_figure set measured_at = measured_at - interval '1 hour'`.execute(context().db);
    await measure();
    expect(await listStored()).toMatchObject([{ entries: 3, storage: 80_000 }]);
  });

  test('fills in the days before the first measurement from the audit log, but not the storage', async () => {
    const ids = await things.create({ Name: 'A' }, { Name: 'B' }, { Name: 'C' });
    await passDays(1);
    await things.remove(...ids.slice(1));
    await passDays(2);
    await things.create({ Name: 'D' }, { Name: 'E' });
    await setStorage(5_000);
    await measure();
    const figures = await list();
    // Nothing is known of the days before the first row of the log.
    expect(figures.map(({ date }) => date)).toEqual([getDay(3), getDay(2), getDay(1), getDay(0)]);
    expect(figures.map(({ entries }) => entries)).toEqual([3, 1, 1, 3]);
    expect(figures.map(({ changes }) => changes)).toEqual([3, 2, 0, 2]);
    expect(figures.map(({ storageBytes }) => storageBytes)).toEqual([null, null, null, 5_000]);
    expect((await list('?days=2')).map(({ entries }) => entries)).toEqual([1, 3]);

    // A long pause is filled in as far as the console shows it.
    await passDays(60);
    await measure();
    const later = await listStored();
    expect(later.at(0)?.day).toBe(getDay(63));
    expect(later.filter(({ day }) => day > getDay(60)).map(({ day }) => day)[0]).toBe(getDay(29));
  });

  test('an ended day is closed with what was written until its end, and keeps its last measured storage', async () => {
    const [one = 0] = await things.create({ Name: 'A' });
    await setStorage(1_000);
    await measure();
    await things.create({ Name: 'B' }, { Name: 'C' });
    await passDays(1);
    await things.remove(one);
    await setStorage(2_000);
    await measure();
    const closed = { day: getDay(1), entries: 3, changes: 3, storage: 1_000 };
    expect(await listStored()).toEqual([closed, { day: getDay(0), entries: 2, changes: 1, storage: 2_000 }]);
    // Within an hour after its end, transactions may still write rows of the day.
    await sql`insert into audit_log (site_id, at, action, subject_type, subject_id, request_id, changes)
      select site_id, at - interval '1 day', action, subject_type, subject_id, request_id, changes from audit_log
      where site_id = ${things.siteId} and action = 'entry.delete'`.execute(context().db);
    const measureAgainAfter = async (minutes: number) => {
      await sql`update site_figure set measured_at = case day when ${getDay(1)}
        then (day + 1)::timestamp at time zone 'UTC' + make_interval(mins => ${minutes}::int)
        else measured_at - interval '2 hours' end`.execute(context().db);
      await measure();
    };
    await measureAgainAfter(60);
    expect((await listStored())[0]).toEqual(closed);
    await measureAgainAfter(0);
    expect((await listStored())[0]).toEqual({ ...closed, changes: 4 });
  });

  test('a site that fails does not keep the others from being measured', async () => {
    const { db } = context();
    await things.create({ Name: 'A' });
    const otherId = await makeSite(db);
    await sql`insert into audit_log (site_id, action, subject_type, subject_id, request_id, changes)
      values (${otherId}, 'entry.create', 'entry-type', '1', ${crypto.randomUUID()}, '{"entries": "one"}')`.execute(
      db,
    );
    const { failures = [] } = (await createFiguresTask(context()).run()) ?? {};
    expect(failures.map(({ siteId }) => siteId)).toEqual([otherId]);
    expect(await listStored()).toMatchObject([{ entries: 1 }]);
    await sql`delete from audit_log where site_id = ${otherId}`.execute(db);
  });

  test('deletes figures after 400 days', async () => {
    await sql`insert into site_figure (site_id, day, entries, changes)
      select ${things.siteId}, ${getDay(0)}::date - n, n, 0 from generate_series(${FIGURE_DAYS - 2}::int, ${FIGURE_DAYS + 1}::int) n`.execute(
      context().db,
    );
    await measure();
    expect((await listStored())[0]).toMatchObject({ day: getDay(FIGURE_DAYS - 1) });
    expect((await list(`?days=${FIGURE_DAYS}`)).at(0)?.date).toBe(getDay(FIGURE_DAYS - 1));
    expect((await things.api.get(`${PATH}?days=${FIGURE_DAYS + 1}`)).status).toBe(400);
  });

  test.each<{ capability: Capability; sees: readonly (keyof SiteFigures)[] }>([
    { capability: 'Read Data', sees: ['entries', 'changes'] },
    { capability: 'Manage Schema', sees: ['entries'] },
    { capability: 'Run Reports', sees: ['entries'] },
    { capability: 'Manage Report Templates', sees: ['entries'] },
    { capability: 'Manage Settings', sees: ['storageBytes'] },
  ])('$capability shows $sees only', async ({ capability, sees }) => {
    const { app, db } = context();
    const scopes: Scope[] = ['user_management'];
    const person = await makePerson(db, things.siteId, { capabilities: [capability, 'Access Web Service'] });
    const { body } = await as(app, person, 'console').get<SiteFigures[]>(PATH);
    expect(body.map((figures) => Object.keys(figures))).toEqual([['date', ...sees]]);
    // A token without the scope for data shows no figure of the data.
    const limited = await makePerson(db, things.siteId, {
      capabilities: [capability, 'Access Web Service'],
      scopes,
    });
    const { body: ofToken } = await as(app, limited).get<SiteFigures[]>(PATH);
    expect(ofToken.map((figures) => Object.keys(figures))).toEqual([
      ['date', ...sees.filter((figure) => figure === 'storageBytes')],
    ]);
  });

  test('needs one of the capabilities', async () => {
    const { app, db } = context();
    const person = await makePerson(db, things.siteId, { capabilities: ['Manage Users'] });
    expect((await as(app, person, 'console').get(PATH)).status).toBe(403);
  });

  test('reads no large table as a whole', async () => {
    const { db } = context();
    await things.create({ Name: 'A' });
    const scans = await findSequentialScans(db, async (recorded) => {
      await createFiguresTask({ db: recorded }).run();
    });
    expect(scans.filter(({ tables }) => tables.some((table) => table !== 'site'))).toEqual([]);
  });
});
