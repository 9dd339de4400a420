import { type RawBuilder, sql } from 'kysely';

/** The lists that list_block counts, as its column `list` has them. */
export const MEMBERS_BY_LICENSE = 1;
export const MEMBERS_BY_GROUP = 2;
export const GROUPS = 3;

export interface Page {
  offset: number;
  limit: number;
}

/** Where a page begins: `with start as (…)` of it, the least id, and how many entries from there on are before it. */
interface PageStart {
  start: RawBuilder<unknown>;
  firstId: RawBuilder<unknown>;
  skip: RawBuilder<unknown>;
}

/**
 * Finds where a page of a list begins by its blocks, in the same statement that reads it: page 10,000 costs what page 1
 * does and both are exact, because entries and counts are of one snapshot (docs/decisions/0010). `parts` undefined: all.
 */
export function pageStart(
  siteId: number,
  list: number,
  parts: readonly number[] | undefined,
  { offset }: Page,
): PageStart {
  const start = sql`start as materialized (
    select first_id, ${offset}::bigint - before as skip from (
      select first_id, sum(sum(n)) over (order by first_id) as upto,
        sum(sum(n)) over (order by first_id) - sum(n) as before
      from list_block where site_id = ${siteId} and list = ${list}
        ${parts ? sql`and part = any(${[...parts]}::int[])` : sql``}
      group by first_id) block
    where upto > ${offset}::bigint order by first_id limit 1)`;
  return { start, firstId: sql`(select first_id from start)`, skip: sql`(select skip from start)` };
}
