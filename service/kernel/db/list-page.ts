import { type RawBuilder, sql } from 'kysely';

/** The lists that list_block counts, as its column `list` has them. */
export const MEMBERS_BY_LICENSE = 1;
export const MEMBERS_BY_GROUP = 2;
export const GROUPS = 3;
export const ENTRIES_BY_TYPE = 4;

/** So many ids are counted together (migrations/0002_list_blocks.ts). */
const BLOCK = 4096;

export interface Page {
  offset: number;
  limit: number;
}

/** A list of the site, or the parts of it that are asked for. */
interface List {
  siteId: number;
  list: number;
  parts?: readonly number[];
}

/**
 * The statement of a page of a list, in the order of ids. The blocks tell where the page begins, in the same snapshot as
 * its entries: page 10,000 costs what page 1 does, and both are exact (docs/decisions/0010). `read` selects entries, the
 * id first, from an id on, in the order of ids, at most so many: the planner, who cannot see how many are skipped, then
 * knows that an index in that order is the way.
 */
export function listPage(
  { siteId, list, parts }: List,
  { offset, limit }: Page,
  read: (firstId: RawBuilder<unknown>, most: number) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const ofParts = parts ? sql`and part = any(${[...parts]}::int[])` : sql``;
  return sql`with start as materialized (
      select first_id, ${offset}::bigint - (upto - n) as skip from (
        select first_id, sum(n) as n, sum(sum(n)) over (order by first_id) as upto from list_block
        where site_id = ${siteId} and list = ${list} ${ofParts} group by first_id) block
      where upto > ${offset}::bigint order by first_id limit 1),
    near as (${read(sql`(select first_id from start)`, BLOCK + limit)})
    select * from near order by 1 limit ${limit} offset (select skip from start)`;
}

/**
 * How many of a part of a list stand before an id, as an expression: whole blocks are summed up, and what stands in its
 * own one is counted. `count` counts the entries of the part from an id on, up to another one.
 */
export const countBefore = (
  { siteId, list, part }: { siteId: number; list: number; part: number },
  id: number,
  count: (firstId: number, upToId: number) => RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const own = id - (id % BLOCK);
  return sql`(select coalesce(sum(n), 0) from list_block
      where site_id = ${siteId} and list = ${list} and part = ${part} and first_id < ${own}) + (${count(own, id)})`;
};
