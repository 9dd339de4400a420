import { type RawBuilder, sql } from 'kysely';

/** Values of the column list_block.list. */
export const MEMBERS_BY_LICENSE = 1;
export const MEMBERS_BY_GROUP = 2;
export const GROUPS = 3;
/** The list of the entries of a site, whose parts are types; their blocks are in entry_block. */
export const ENTRIES_BY_TYPE = 'entries';

/** Ids per block (migrations/0002_list_blocks.ts). */
const BLOCK_IDS = 4096;

export interface Page {
  offset: number;
  limit: number;
}

/** A list of the site, or some parts of it (such as license types). */
interface List {
  siteId: number;
  list: number | typeof ENTRIES_BY_TYPE;
  parts?: readonly number[];
}

/** `from` and `where` of the blocks of a list, or of some parts of it. */
const blocksSql = ({ siteId, list, parts }: List): RawBuilder<unknown> => {
  if (list !== ENTRIES_BY_TYPE)
    return sql`from list_block where site_id = ${siteId} and list = ${list}
      ${parts ? sql`and part = any(${[...parts]}::int[])` : sql``}`;
  return sql`from entry_block where site_id = ${siteId} ${parts ? sql`and type_id = any(${[...parts]}::int[])` : sql``}`;
};

/**
 * Statement for a page of a list in the order of ids. The blocks locate the start of the page in the same snapshot as its rows, so
 * page 10,000 costs as much as page 1, and both are exact (docs/decisions/0010). `buildRows` selects rows with the id as first
 * column, from `firstId` on, in the order of ids, at most `maxRows`: the limit makes the planner use an index in that order.
 */
export function buildListPage(
  list: List,
  { offset, limit }: Page,
  buildRows: (firstId: RawBuilder<unknown>, maxRows: number) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`with start as materialized (
      select first_id, ${offset}::bigint - (upto - n) as skip from (
        select first_id, sum(n) as n, sum(sum(n)) over (order by first_id) as upto
        ${blocksSql(list)} group by first_id) block
      where upto > ${offset}::bigint order by first_id limit 1),
    near as (${buildRows(sql`(select first_id from start)`, BLOCK_IDS + limit)})
    select * from near order by 1 limit ${limit} offset (select skip from start)`;
}

/**
 * SQL expression: number of rows of parts of a list before an id. Sums up whole blocks and counts within the block of the id;
 * `buildRangeCount` counts the rows of the parts from `firstId` up to `upToId`.
 */
export const buildCountBefore = (
  list: List,
  id: number,
  buildRangeCount: (firstId: number, upToId: number) => RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const blockStart = id - (id % BLOCK_IDS);
  return sql`(select coalesce(sum(n), 0) ${blocksSql(list)} and first_id < ${blockStart}) + (${buildRangeCount(blockStart, id)})`;
};
