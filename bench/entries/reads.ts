/** Reads of entries: pages of rows, distant pages, totals, cached lists and text search. */
import type { Pool } from 'pg';
import type { Measure } from '../bench.ts';
import type { EntryService } from './entry-service.ts';
import { measureMedian } from './measure-median.ts';

const PAGE_SIZE = 1000;
const FIELDS = ['Name', 'Stage', 'Employees', 'City', 'LastContact'];
const FIELDS_WITH_REFERENCES = ['Name', 'Parent', 'Owner', 'Revenue', 'Tags'];

/** Hand-written SQL that builds the same JSON as the response of the service. */
function buildRowsSql({ typeId, getField: field }: EntryService, where: string): string {
  const value = (name: string) => `e.vals -> '${field(name).id}'`;
  const stages = field('Stage').choiceValues.map(({ id, name }, seqNumber) => [
    id,
    { id, name, seqNumber, entryListId: -6 },
  ]);
  const choices = `'${JSON.stringify(Object.fromEntries(stages))}'::jsonb`;
  return `select '[' || string_agg('{"EntryId":' || e.entry_id || coalesce(',"Name":' || (${value('Name')})::text, '')
      || coalesce(',"Stage":' || (${choices} -> (e.vals ->> '${field('Stage').id}'))::text, '')
      || coalesce(',"Employees":' || (${value('Employees')})::text, '') || coalesce(',"City":' || (${value('City')})::text, '')
      || coalesce(',"LastContact":' || (${value('LastContact')})::text, '') || '}', ',' order by e.entry_id) || ']' as rows
    from (select entry_id, vals from entry where site_id = 1 and type_id = ${typeId} ${where} order by entry_id limit ${PAGE_SIZE}) e`;
}

/** Pages of rows, compared with SQL that builds the same text, through the driver. */
export async function measurePages(entryService: EntryService, pool: Pool | undefined): Promise<Measure[]> {
  const [stage] = entryService.getField('Stage').choiceValues;
  const filter = `and n1 = ${stage?.id}`;
  const rowsSql = buildRowsSql(entryService, '');
  const matchingRowsSql = buildRowsSql(entryService, filter);
  const totalSql = `select count(*) from entry where site_id = 1 and type_id = ${entryService.typeId} ${filter}`;
  const createFloor = (...statements: string[]) =>
    pool &&
    (async () => {
      for (const statement of statements) await pool.query(statement);
    });
  const query = { Stage: stage?.id };
  return [
    ...(await measureMedian({
      name: 'rows, 1000 with 5 fields',
      ours: () => entryService.queryRows({ fields: FIELDS, limit: PAGE_SIZE }),
      floor: createFloor(rowsSql),
      maxRatio: 1.3,
    })),
    ...(await measureMedian({
      name: 'rows, 10% of the entries, with total',
      ours: () => entryService.queryRows({ query, fields: FIELDS, limit: PAGE_SIZE }),
      floor: createFloor(matchingRowsSql, totalSql),
      maxRatio: 1.3,
    })),
    ...(await measureMedian({
      name: 'rows with names of references',
      ours: () => entryService.queryRows({ fields: FIELDS_WITH_REFERENCES, limit: PAGE_SIZE }),
    })),
    ...(await measureMedian({
      name: 'exact total of 10%',
      ours: () => entryService.queryRows({ query, fields: ['Name'], limit: 1 }),
      floor: createFloor(totalSql),
      maxMs: 20,
    })),
  ];
}

/** Distant pages of a list sorted by name and of one sorted by id, compared with the first page. */
export async function measureDeepPages(entryService: EntryService): Promise<Measure[]> {
  const page = (skip: number, limit = PAGE_SIZE) =>
    entryService.queryRows({ fields: FIELDS, orderBy: 'Name', limit, skip });
  const half = Math.floor(entryService.entries / 2);
  const first = () => page(0);
  let request = 0;
  return [
    ...(await measureMedian({
      name: `sorted by name, skip ${half} : 0`,
      // Positions differ, so that no request continues another.
      ours: () => page(half - 7 * request++),
      floor: first,
      maxMs: 100,
      maxRatio: 15,
    })),
    ...(await measureMedian({
      name: 'next page in sequence : first page',
      ours: (round) => page((round + 4) * PAGE_SIZE),
      floor: first,
      maxRatio: 1.5,
    })),
    ...(await measureMedian({
      name: `sorted by id, skip ${half} : 0`,
      ours: () => entryService.queryRows({ fields: FIELDS, limit: PAGE_SIZE, skip: half }),
      floor: () => entryService.queryRows({ fields: FIELDS, limit: PAGE_SIZE }),
    })),
  ];
}

/** Lists sorted without an index: sorted once, then cached for any position (docs/decisions/0031). */
export async function measureCachedLists(
  entryService: EntryService,
  pool: Pool | undefined,
): Promise<Measure[]> {
  const page = (query: object, skip: number) =>
    entryService.queryRows({ ...query, fields: FIELDS, orderBy: 'Source', limit: 100, skip });
  const source = entryService.getField('Source').id;
  const sortedIdsSql = `select string_agg(int4send(entry_id), '') from (select entry_id from entry
    where site_id = 1 and type_id = ${entryService.typeId} order by (vals ->> '${source}')::int, entry_id) as sorted`;
  return [
    ...(await measureMedian({
      name: 'sort without an index, uncached',
      // Each round asks for another list of all entries.
      ours: (round) => page({ query: { Name: { $not: `Nobody ${round}` } } }, 0),
      floor: pool && (() => pool.query(sortedIdsSql)),
      rounds: 5,
    })),
    ...(await measureMedian({
      name: 'sort without an index, cached, any position',
      ours: (round) => page({}, Math.floor(entryService.entries * ((((round + 4) * 0.618) % 1) * 0.99))),
      maxMs: 100,
    })),
  ];
}

/** Substring search for rare, common and absent texts. */
export async function measureSearches(entryService: EntryService): Promise<Measure[]> {
  const rare = ['galmer', 'norfar', 'zanwil', 'telbor', 'henkal'];
  const common = ['harbour', 'timber', 'earnings', 'grain', 'silver'];
  // Absent texts that look as common as others to the statistics of the planner.
  const absent = ['energy', 'motors', 'robotics'];
  const search = (parts: readonly string[]) => (round: number) =>
    entryService.queryRows({
      query: { Summary: { $contains: parts[(round + 5) % parts.length] } },
      fields: FIELDS,
      limit: 50,
    });
  return [
    ...(await measureMedian({ name: 'contains, rare text', ours: search(rare), maxMs: 50 })),
    ...(await measureMedian({ name: 'contains, common text (1 in 30)', ours: search(common), maxMs: 50 })),
    ...(await measureMedian({ name: 'contains, absent text', ours: search(absent), maxMs: 50 })),
  ];
}
