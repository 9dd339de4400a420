import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EntryTypeVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import { type Database, type Db, openDatabase } from '../../kernel/db/database.ts';
import { newPlace, onEachKind, type Place } from '../../testing/databases.ts';
import { DATA } from '../../testing/entries.ts';
import { as, makePerson, makeSite, openApp } from '../../testing/site.ts';
import { loadEntries } from './fill.ts';
import { copyText, openTarget } from './target.ts';

const ENTRIES = 200;
const asOf = new Date('2026-11-20T12:00:00Z');

/** Loads a new place; answers the database as a service opens it, and the type. */
async function loaded(place: Place, changes: number) {
  const target = await openTarget(place);
  const siteId = await makeSite(target.db);
  const person = await makePerson(target.db, siteId);
  const { slug } = await target.db
    .selectFrom('site')
    .select('slug')
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  const options = { site: slug, type: 'Company', entries: ENTRIES, changes, seed: 7, asOf };
  const indexes = await indexesOf(target.db);
  const { typeId, changes: written } = await loadEntries(target, options);
  await target.close();
  return { database: await openDatabase(place), siteId, typeId, person, written, indexes };
}

async function indexesOf(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`.execute(db);
  return rows;
}

/** All that is kept of entries of which the first has this number: their ids counted from there, and without moments. */
async function keptOf({ db }: Database, first: number): Promise<unknown> {
  const last = first + ENTRIES - 1;
  const { rows } = await sql`select
    (select jsonb_agg(to_jsonb(e) - 'entry_id' order by entry_id) from entry e
      where entry_id between ${first} and ${last}) as entries,
    (select jsonb_agg(to_jsonb(c) - '{entry_id,created_at,direct_at,any_at,created_by,modified_by}'::text[] order by entry_id)
      from entry_change c where entry_id between ${first} and ${last}) as changes,
    (select jsonb_agg(jsonb_build_array(field_id, v, entry_id - ${first}) order by entry_id, field_id, v) from entry_multi
      where entry_id between ${first} and ${last}) as multi,
    (select jsonb_agg(jsonb_build_array(field_id, v, entry_id - ${first}) order by entry_id, field_id) from entry_text
      where entry_id between ${first} and ${last}) as texts,
    (select count(*)::int from calc_queue) as queued`.execute(db);
  return rows[0];
}

interface Read {
  id: number;
  vals: Record<string, unknown>;
}

/** What requests write to make an entry with the same values. */
const itemsOf = ({ id, vals }: Read) =>
  Object.entries(vals).map(([fieldId, value]) => ({
    entryId: -id,
    fieldId: Number(fieldId),
    ignoreNearDups: true,
    ...(typeof value === 'object' && value !== null && 'currencyCode' in value ? value : { value }),
  }));

onEachKind((kind) => {
  test('loaded entries are kept exactly as entries that are written through the interface', async () => {
    const place = await newPlace(kind);
    const { database, typeId, person, siteId } = await loaded(place, 0);
    const { db } = database;
    const app = await openApp(database);
    const api = as(app, person);
    const { rows } = await sql<Read>`select entry_id as id, vals from entry order by entry_id`.execute(db);
    expect(rows).toHaveLength(ENTRIES);
    const first = rows[0]?.id ?? 0;
    const answer = await api.post(`${DATA}/entrydata/${typeId}`, { storeRequests: rows.flatMap(itemsOf) });
    expect(answer).toMatchObject({ status: 200 });

    expect(await keptOf(database, first + ENTRIES)).toEqual(await keptOf(database, first));
    const type = await api.get<EntryTypeVm>(`/api/rest/v4/schema/entrytypes/${typeId}`);
    expect(type.body.entryCount).toBe(2 * ENTRIES);
    const blocks =
      await sql`select sum(n)::int as n from list_block where list = 4 and site_id = ${siteId}`.execute(db);
    expect(blocks.rows).toEqual([{ n: 2 * ENTRIES }]);

    const asked = { query: { Summary: { $contains: 'OUR' } }, fields: ['Name'], limit: 1 };
    const fields = await api.get<FieldVm[]>(`/api/rest/v4/schema/entrytypes/${typeId}/fields`);
    const summary = fields.body.find(({ apiName }) => apiName === 'Summary')?.id ?? 0;
    const found = rows.filter(({ vals }) => String(vals[summary]).includes('our'));
    const page = await api.post<{ totalRecords: number }>(`${DATA}/entrydata/rows/query/${typeId}`, asked);
    expect(found.length).toBeGreaterThan(1);
    expect(page.body.totalRecords).toBe(2 * found.length);
    await app.close();
    await database.close();
    await place.remove();
  });

  test('the history of loaded entries leads to what they hold, and every index is there again', async () => {
    const place = await newPlace(kind);
    const { database, written, indexes } = await loaded(place, 6);
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
      { rows: written, unchanged: 0, broken: 0, elsewhere: 0, out_of_time: 0, unnoted: 0 },
    ]);
    expect(written).toBeGreaterThan(4 * ENTRIES);

    expect(await indexesOf(db)).toEqual(indexes);
    await database.close();
    await place.remove();
  });
});

test('texts go through COPY as they are', () => {
  const rows = [
    ['a\tb', 'c\\n', null, { text: 'line\nbreak \\ "quote"' }],
    ['\r', '', undefined, 1.5],
  ];
  expect([...copyText(rows)].join('')).toBe(
    `a\\tb\tc\\\\n\t\\N\t{"text":"line\\\\nbreak \\\\\\\\ \\\\"quote\\\\""}\n\\r\t\t\\N\t1.5\n`,
  );
});
