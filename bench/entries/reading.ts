/** Reading entries: pages of rows, deep ones, totals, parts of texts. */
import type { Pool } from 'pg';
import type { Measure } from '../bench.ts';
import type { Place } from './place.ts';
import { timed } from './times.ts';

const PAGE = 1000;
const FIVE = ['Name', 'Stage', 'Employees', 'City', 'LastContact'];
const WITH_NAMES = ['Name', 'Parent', 'Owner', 'Revenue', 'Tags'];

/** The same JSON as the service answers, as one would write it by hand. */
function floorSql({ typeId, field }: Place, where: string): string {
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
    from (select entry_id, vals from entry where site_id = 1 and type_id = ${typeId} ${where} order by entry_id limit ${PAGE}) e`;
}

/** Pages beside the statements that build the same text, through the driver. */
export async function pages(place: Place, pool: Pool | undefined): Promise<Measure[]> {
  const [stage] = place.field('Stage').choiceValues;
  const filter = `and n1 = ${stage?.id}`;
  const plain = floorSql(place, '');
  const matching = floorSql(place, filter);
  const total = `select count(*) from entry where site_id = 1 and type_id = ${place.typeId} ${filter}`;
  const floorOf = (...statements: string[]) =>
    pool &&
    (async () => {
      for (const statement of statements) await pool.query(statement);
    });
  const query = { Stage: stage?.id };
  return [
    ...(await timed({
      name: 'rows, 1000 with 5 fields',
      ours: () => place.rows({ fields: FIVE, limit: PAGE }),
      floor: floorOf(plain),
      times: 1.3,
    })),
    ...(await timed({
      name: 'the same of a tenth, with its total',
      ours: () => place.rows({ query, fields: FIVE, limit: PAGE }),
      floor: floorOf(matching, total),
      times: 1.3,
    })),
    ...(await timed({
      name: 'rows with names of what is referred to',
      ours: () => place.rows({ fields: WITH_NAMES, limit: PAGE }),
    })),
    ...(await timed({
      name: 'exact total of a tenth',
      ours: () => place.rows({ query, fields: ['Name'], limit: 1 }),
      floor: floorOf(total),
      limit: 20,
    })),
  ];
}

/** Deep pages of a list in the order of names, beside its first page. */
export async function deepPages(place: Place): Promise<Measure[]> {
  const page = (skip: number, limit = PAGE) => place.rows({ fields: FIVE, orderBy: 'Name', limit, skip });
  const half = Math.floor(place.entries / 2);
  const first = () => page(0);
  let turn = 0;
  return [
    ...(await timed({
      name: `sorted by name, skip ${half} : 0`,
      // Each elsewhere, so that none follows on another.
      ours: () => page(half - 7 * turn++),
      floor: first,
      limit: 100,
      times: 15,
    })),
    ...(await timed({
      name: 'next page in sequence : the first',
      ours: (round) => page((round + 4) * PAGE),
      floor: first,
      times: 1.5,
    })),
    ...(await timed({
      name: `in the order of ids, skip ${half} : 0`,
      ours: () => place.rows({ fields: FIVE, limit: PAGE, skip: half }),
      floor: () => place.rows({ fields: FIVE, limit: PAGE }),
    })),
  ];
}

/** Lists without an index: kept once they are found, whatever place is asked for then (docs/decisions/0031). */
export async function keptLists(place: Place, pool: Pool | undefined): Promise<Measure[]> {
  const page = (asked: object, skip: number) =>
    place.rows({ ...asked, fields: FIVE, orderBy: 'Source', limit: 100, skip });
  const source = place.field('Source').id;
  const sorted = `select string_agg(int4send(entry_id), '') from (select entry_id from entry
    where site_id = 1 and type_id = ${place.typeId} order by (vals ->> '${source}')::int, entry_id) as sorted`;
  return [
    ...(await timed({
      name: 'an order without an index, found anew',
      // Another list each time, of all entries.
      ours: (round) => page({ query: { Name: { $not: `Nobody ${round}` } } }, 0),
      floor: pool && (() => pool.query(sorted)),
      rounds: 5,
    })),
    ...(await timed({
      name: 'an order without an index, any place',
      ours: (round) => page({}, Math.floor(place.entries * ((((round + 4) * 0.618) % 1) * 0.99))),
      limit: 100,
    })),
  ];
}

/** Parts of texts that few, and that very many, entries have. */
export async function searches(place: Place): Promise<Measure[]> {
  const rare = ['galmer', 'norfar', 'zanwil', 'telbor', 'henkal'];
  const common = ['harbour', 'timber', 'earnings', 'grain', 'silver'];
  // As common as others by all that the planner can know.
  const absent = ['energy', 'motors', 'robotics'];
  const search = (parts: readonly string[]) => (round: number) =>
    place.rows({
      query: { Summary: { $contains: parts[(round + 5) % parts.length] } },
      fields: FIVE,
      limit: 50,
    });
  return [
    ...(await timed({ name: 'contains, few have it', ours: search(rare), limit: 50 })),
    ...(await timed({ name: 'contains, one in thirty has it', ours: search(common), limit: 50 })),
    ...(await timed({ name: 'contains, nobody has it', ours: search(absent), limit: 50 })),
  ];
}
