import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EntryTypeVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import { type Database, type Db, openDatabase } from '../../kernel/db/database.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../../testing/databases.ts';
import { DATA } from '../../testing/entries/entries.ts';
import { as, makePerson, makeSite, createTestApp } from '../../testing/site.ts';
import { loadEntries } from './load-entries.ts';
import { formatCopyText, openLoadTarget } from './target.ts';

const ENTRIES = 200;
const asOf = new Date('2026-11-20T12:00:00Z');

/** Loads entries into a new database and opens it like the service does. */
async function loadIntoDatabase(testDatabase: TestDatabase, changes: number) {
  const target = await openLoadTarget(testDatabase);
  const siteId = await makeSite(target.db);
  const person = await makePerson(target.db, siteId);
  const { slug } = await target.db
    .selectFrom('site')
    .select('slug')
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  const options = { site: slug, type: 'Company', entries: ENTRIES, changes, seed: 7, asOf };
  const indexes = await listIndexes(target.db);
  const { typeId, changes: changeCount } = await loadEntries(target, options);
  await target.close();
  return { database: await openDatabase(testDatabase), siteId, typeId, person, changeCount, indexes };
}

async function listIndexes(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`.execute(db);
  return rows;
}

/** The stored data of the entries from `firstId` on, with ids relative to it and without timestamps. */
async function readStoredData({ db }: Database, firstId: number): Promise<unknown> {
  const lastId = firstId + ENTRIES - 1;
  const { rows } = await sql`select
    (select jsonb_agg(to_jsonb(e) - 'entry_id' order by entry_id) from entry e
      where entry_id between ${firstId} and ${lastId}) as entries,
    (select jsonb_agg(to_jsonb(c) - '{entry_id,created_at,direct_at,any_at,created_by,modified_by}'::text[] order by entry_id)
      from entry_change c where entry_id between ${firstId} and ${lastId}) as changes,
    (select jsonb_agg(jsonb_build_array(field_id, v, entry_id - ${firstId}) order by entry_id, field_id, v) from entry_multi
      where entry_id between ${firstId} and ${lastId}) as multi,
    (select jsonb_agg(jsonb_build_array(field_id, v, entry_id - ${firstId}) order by entry_id, field_id) from entry_text
      where entry_id between ${firstId} and ${lastId}) as texts,
    (select count(*)::int from calc_queue) as queued`.execute(db);
  return rows[0];
}

interface StoredEntry {
  id: number;
  vals: Record<string, unknown>;
}

/** The store requests that create an entry with the same values. */
const toStoreRequests = ({ id, vals }: StoredEntry) =>
  Object.entries(vals).map(([fieldId, value]) => ({
    entryId: -id,
    fieldId: Number(fieldId),
    ignoreNearDups: true,
    ...(typeof value === 'object' && value !== null && 'currencyCode' in value ? value : { value }),
  }));

onEachKind((kind) => {
  test.skipIf(kind === 'embedded')(
    'a connection that ends fails the next statement, not the process',
    async () => {
      const testDatabase = await createTestDatabase(kind);
      const target = await openLoadTarget(testDatabase);
      const other = await openLoadTarget(testDatabase);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(target.db);
      await sql`select pg_terminate_backend(${rows[0]?.pid}::int, 5000)`.execute(other.db);
      for (let round = 0; round < 2; round += 1)
        await expect(sql`select 1`.execute(target.db)).rejects.toThrow('terminating connection');
      await Promise.all([target.close(), other.close()]);
      await testDatabase.remove();
    },
  );

  test('stores loaded entries exactly like entries written through the API', async () => {
    const testDatabase = await createTestDatabase(kind);
    const { database, typeId, person, siteId } = await loadIntoDatabase(testDatabase, 0);
    const { db } = database;
    const app = await createTestApp(database);
    const api = as(app, person);
    const { rows } = await sql<StoredEntry>`select entry_id as id, vals from entry order by entry_id`.execute(
      db,
    );
    expect(rows).toHaveLength(ENTRIES);
    const firstId = rows[0]?.id ?? 0;
    const reply = await api.post(`${DATA}/entrydata/${typeId}`, {
      storeRequests: rows.flatMap(toStoreRequests),
    });
    expect(reply).toMatchObject({ status: 200 });

    expect(await readStoredData(database, firstId + ENTRIES)).toEqual(
      await readStoredData(database, firstId),
    );
    const type = await api.get<EntryTypeVm>(`/api/rest/v4/schema/entrytypes/${typeId}`);
    expect(type.body.entryCount).toBe(2 * ENTRIES);
    const blocks = await sql`select sum(n)::int as n from entry_block where site_id = ${siteId}`.execute(db);
    expect(blocks.rows).toEqual([{ n: 2 * ENTRIES }]);

    const query = { query: { Summary: { $contains: 'OUR' } }, fields: ['Name'], limit: 1 };
    const fields = await api.get<FieldVm[]>(`/api/rest/v4/schema/entrytypes/${typeId}/fields`);
    const summary = fields.body.find(({ apiName }) => apiName === 'Summary')?.id ?? 0;
    const found = rows.filter(({ vals }) => String(vals[summary]).includes('our'));
    const page = await api.post<{ totalRecords: number }>(`${DATA}/entrydata/rows/query/${typeId}`, query);
    expect(found.length).toBeGreaterThan(1);
    expect(page.body.totalRecords).toBe(2 * found.length);
    await app.close();
    await database.close();
    await testDatabase.remove();
  });

  test('the history of loaded entries ends with their values, and all indexes exist again', async () => {
    const testDatabase = await createTestDatabase(kind);
    const { database, changeCount, indexes } = await loadIntoDatabase(testDatabase, 6);
    const { db } = database;
    const cells = sql`select l.*, lag(l.new) over cell as before, lead(l.seq) over cell is null as is_last, c.created_at, c.direct_at,
        c.any_at, c.modified_by, e.vals -> l.field_id::text as now, max(l.at) over (partition by l.entry_id) as last_at
      from cell_log l join entry_change c using (site_id, entry_id) join entry e using (site_id, entry_id)
      window cell as (partition by l.entry_id, l.field_id order by l.seq)`;
    const { rows } = await sql`select count(*)::int as rows,
        count(*) filter (where old is not distinct from new)::int as unchanged,
        count(*) filter (where before is not null and before is distinct from old)::int as broken,
        count(*) filter (where is_last and new is distinct from now)::int as elsewhere,
        count(*) filter (where at <= created_at or at > ${asOf}::timestamptz)::int as out_of_time,
        count(*) filter (where any_at <> last_at or direct_at <> last_at)::int as unnoted
      from (${cells}) as cell`.execute(db);
    expect(rows).toEqual([
      { rows: changeCount, unchanged: 0, broken: 0, elsewhere: 0, out_of_time: 0, unnoted: 0 },
    ]);
    expect(changeCount).toBeGreaterThan(4 * ENTRIES);

    expect(await listIndexes(db)).toEqual(indexes);
    await database.close();
    await testDatabase.remove();
  });
});

test('formats texts for COPY with escapes', () => {
  const rows = [
    ['a\tb', 'c\\n', null, { text: 'line\nbreak \\ "quote"' }],
    ['\r', '', undefined, 1.5],
  ];
  expect([...formatCopyText(rows)].join('')).toBe(
    `a\\tb\tc\\\\n\t\\N\t{"text":"line\\\\nbreak \\\\\\\\ \\\\"quote\\\\""}\n\\r\t\t\\N\t1.5\n`,
  );
});
