/**
 * Executes the SQL statements of rare cases, which no test of their area reaches. `npm test` fails if a statement of the service is
 * not executed by any test (scripts/testing/check-statements.ts), because a wrong column would show only at run time.
 */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { UserActivitySummary } from '../../contract/generated/types.gen.ts';
import { registry } from '../areas/registry.ts';
import { computeSheetDigests } from '../cli/restore/verify-backup.ts';
import { insertRows } from '../testing/activity.ts';
import type { ErrorBody } from '../testing/calls.ts';
import { makeThings, SCHEMA, setIndexesReady } from '../testing/entries/entries.ts';
import { type AppContext, as, makePerson, makeSite, onEachApp, services } from '../testing/site.ts';

const DAY_MS = 86_400_000;

/** Creates a site with 60 sign-ins from 10.0.0.0/8, one a day, and two rows of type 10 among them. */
async function makeActivity({ app, db }: AppContext) {
  const admin = await makePerson(db, await makeSite(db));
  const now = Date.now();
  const rows = Array.from({ length: 62 }, (_, index) => ({
    at: now - (index + 1) * DAY_MS,
    userId: admin.userId,
    type: index === 20 || index === 40 ? 10 : 1,
    source: 1,
    ip: index < 40 ? '10.1.0.1' : '10.0.0.1',
    principalId: null,
    exportKind: null,
  }));
  await insertRows(db, admin.siteId, rows);
  return { api: as(app, admin), admin };
}

onEachApp((context) => {
  describe('activity', () => {
    test.each([
      [{}, 62, 40, 22],
      [{ activity: 1 }, 60, 39, 21],
    ])('summarizes a whole site over weeks with the filter %j', async (query, total, ...addressCounts) => {
      const { api, admin } = await makeActivity(context());
      const { body } = await api.post<UserActivitySummary>('user/activity/summary', query);
      expect(body.totalRecords).toBe(total);
      expect(body.topUsers).toMatchObject([{ userId: admin.userId, count: total }]);
      expect(body.topAddresses.map(({ ipAddress, count }) => [ipAddress, count])).toEqual([
        ['10.1.0.1', addressCounts[0]],
        ['10.0.0.1', addressCounts[1]],
      ]);
    });

    test('reports a rare type of activity in a wide network', async () => {
      const { api } = await makeActivity(context());
      const query = { ipAddress: '10.0.0.0/8', activity: 10 };
      const { body } = await api.post<{ totalRecords: number; rows: { activityTypeId: number }[] }>(
        'user/activity',
        query,
      );
      expect(body.totalRecords).toBe(2);
      expect(body.rows.map(({ activityTypeId }) => activityTypeId)).toEqual([10, 10]);
    });
  });

  describe('backups', () => {
    test('deletes stray files on schedule', async () => {
      const tasks = registry.createTasks({ db: context().db, services });
      const task = tasks.find(({ name }) => name === 'stray backup files');
      expect(task).toBeDefined();
      await task?.run();
    });

    test('reads a sheet in several windows', async () => {
      const { db } = context();
      const siteId = await makeSite(db);
      await sql`insert into user_group (site_id, name, capabilities)
        select ${siteId}, 'Group ' || n, '{}' from generate_series(1, 3000) as n`.execute(db);
      expect((await computeSheetDigests(db, siteId)).get('groups.csv')).toMatchObject({ rows: 3000 });
    });
  });

  describe('entries', () => {
    test('returns a large row that a text search found', async () => {
      const things = await makeThings(context());
      const memo = 'x'.repeat(200_000);
      await things.create({ Name: 'Large', Note: 'needle', Memo: memo }, { Name: 'Small', Note: 'needle' });
      const { rows } = await things.query({ Note: { $contains: 'needle' } });
      expect(rows.map(({ Name, Memo }) => [Name, Memo ?? null])).toEqual([
        ['Large', memo],
        ['Small', null],
      ]);
    });

    test.each([
      ['Tags', true],
      ['Stage', true],
      ['Stage', false],
    ] as const)('rejects the removal of used choices of %s (index ready: %j)', async (name, isReady) => {
      const things = await makeThings(context());
      const { id, choiceValues } = things.field(name);
      const [first, ...others] = choiceValues ?? [];
      const value = name === 'Tags' ? [first?.id] : first?.id;
      await things.create({ Name: 'One', [name]: value }, { Name: 'Two', [name]: value });
      await setIndexesReady(context().db, things.siteId, isReady);
      const { status, body } = await things.api.put<ErrorBody>(`${SCHEMA}/fields/${id}`, {
        choiceValues: others.map((choice) => ({ id: choice.id, name: choice.name })),
      });
      expect([status, body.errors]).toEqual([
        409,
        [
          {
            path: 'choiceValues',
            message: `must keep the choices that entries have: ${first?.name ?? ''} (2)`,
          },
        ],
      ]);
    });
  });
});
