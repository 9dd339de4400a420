import { sql } from 'kysely';
import Papa from 'papaparse';
import { beforeEach, expect, test } from 'vitest';
import type { ActivityExport } from '../../../contract/generated/types.gen.ts';
import { insertRows } from '../../testing/activity.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { exportFile } from '../../testing/jobs.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const MINUTE_MS = 60_000;

const parseCsv = (text: string) =>
  Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: true }).data;

onEachApp((context) => {
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    admin = await makePerson(context().db, await makeSite(context().db));
    api = as(context().app, admin, 'console');
  });

  const buildRow = (more: object = {}) => ({
    at: Date.now() - MINUTE_MS,
    userId: admin.userId,
    type: 1,
    source: 1,
    ip: '203.0.113.7',
    principalId: null,
    exportKind: null,
    ...more,
  });
  const run = async (query: ActivityExport['query']) => {
    const body = { format: 'csv', query, filterText: 'Source: API' };
    const { job, text } = await exportFile(context().db, api, 'activityExports', body);
    const [headings = [], ...lines] = parseCsv(text);
    return { job, headings, ids: lines.map((line) => Number(line.at(-1))), lines };
  };

  test('exports all rows that match, newest first, over several pages', async () => {
    const now = Date.now();
    const rows = await insertRows(
      context().db,
      admin.siteId,
      // Many rows of one moment have the order of their ids.
      Array.from({ length: 2_100 }, (_, index) =>
        buildRow({ at: now - MINUTE_MS * (1 + (index % 3)), source: index % 2 === 0 ? 3 : 1 }),
      ),
    );
    const newestFirst = rows.toSorted((a, b) => b.at - a.at || b.id - a.id);
    const { ids, headings, lines, job } = await run({ dateTo: new Date(now).toISOString() });
    expect(ids).toEqual(newestFirst.map(({ id }) => id));
    expect(job).toMatchObject({ title: 'Export activity as CSV: Source: API', done: 2_100 });
    expect(headings.slice(0, 4)).toEqual(['Time (UTC)', 'User id', 'Name', 'E-mail']);
    expect(lines[0]?.slice(1, 2)).toEqual([String(admin.userId)]);
    expect(lines[0]?.slice(6, 10)).toEqual(['Login Successful', '', expect.any(String), '203.0.113.7']);
    const api3 = await run({
      sources: [3],
      userIds: [admin.userId],
      ipAddress: '203.0.113.0/24',
      dateTo: new Date(now).toISOString(),
    });
    expect(api3.ids).toEqual(newestFirst.filter(({ source }) => source === 3).map(({ id }) => id));
  });

  test('exports a period shorter than a day, and names the path of an invalid query', async () => {
    const from = Date.now() - 3 * MINUTE_MS;
    const [, inside] = await insertRows(context().db, admin.siteId, [
      buildRow({ at: from - MINUTE_MS }),
      buildRow({ at: from + MINUTE_MS }),
    ]);
    const period = {
      dateFrom: new Date(from).toISOString(),
      dateTo: new Date(from + 2 * MINUTE_MS).toISOString(),
    };
    expect((await run(period)).ids).toEqual([inside?.id]);
    const refused = await api.post<ErrorBody>('jobs/activityExports', {
      format: 'csv',
      query: { ipAddress: 'x' },
    });
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['query.ipAddress'],
    ]);
  });
});
