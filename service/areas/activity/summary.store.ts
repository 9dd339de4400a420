import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';
import {
  buildSiteAxis,
  buildAllUsersAxis,
  buildAllAddressesAxis,
  selectRowsByTime,
  type AxisCells,
} from './cells.store.ts';
import type { ActivityFilter } from './filter.ts';
import { selectMatchingRows } from './report.store.ts';
import { splitSpan } from './segments.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;

interface BucketCount {
  bucket: Date;
  type: number;
  count: number;
}

/** User id or address with its number of rows. */
interface Top<T> {
  id: T;
  count: number;
}

export interface Summary {
  counts: BucketCount[];
  users: Top<number>[];
  addresses: Top<string>[];
}

const binTime = (widthMs: number, at: RawBuilder<unknown>) =>
  sql`date_bin(make_interval(secs => ${widthMs / 1000}), ${at}, timestamptz '2000-01-03 00:00:00Z')`;

/** Counts rows by type and hour or day: over the whole site from the cells, at the edges from the rows. */
async function countSiteByBucket(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  widthMs: number,
): Promise<BucketCount[]> {
  const axis = buildSiteAxis(siteId, filter);
  const { wholeCells, edges } = splitSpan(filter, HOUR_MS);
  const parts = [
    ...(wholeCells ? [sql`select bucket, kind, n from (${axis.selectCells(wholeCells)}) c`] : []),
    ...edges.map((edge) => sql`select at, kind, 1 from ${axis.selectRows(edge)} r`),
  ];
  const { rows } = await sql<BucketCount>`
    select ${binTime(widthMs, sql`bucket`)} as bucket, kind & 15 as type, sum(n)::bigint as count
    from (${sql.join(parts, sql` union all `)}) p (bucket, kind, n) group by 1, 2 order by 1, 2`.execute(tx);
  return rows;
}

/** Summary of the rows of some users or addresses, counted from the rows. */
async function summarizeRows(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  widthMs: number,
): Promise<Summary> {
  const matchingRows = await selectMatchingRows(tx, siteId, filter);
  const { rows } = await sql<{ counts: BucketCount[]; users: Top<number>[]; addresses: Top<string>[] }>`
    with hit as materialized (select at, kind, user_id, ip_address from ${matchingRows} r)
    select coalesce((select json_agg(c order by bucket, type) from
        (select ${binTime(widthMs, sql`at`)} as bucket, kind & 15 as type, count(*) as count from hit group by 1, 2) c), '[]') as counts,
      coalesce((select json_agg(u) from (select user_id as id, count(*) as count from hit
        group by 1 order by count desc, 1 limit 10) u), '[]') as users,
      coalesce((select json_agg(i) from (select host(ip_address) as id, count(*) as count from hit
        where ip_address is not null group by ip_address order by count desc, ip_address limit 10) i), '[]') as addresses`.execute(
    tx,
  );
  const [summary = { counts: [], users: [], addresses: [] }] = rows;
  return { ...summary, counts: summary.counts.map((each) => ({ ...each, bucket: new Date(each.bucket) })) };
}

/** Summary of the report: counts by hour or day, and the ten users and ten addresses with the most rows. */
export async function readSummary(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  bucket: 'hour' | 'day',
): Promise<Summary> {
  const widthMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  if (filter.userIds ?? filter.principalIds ?? filter.network ?? filter.exportedType)
    return summarizeRows(tx, siteId, filter, widthMs);
  return {
    counts: await countSiteByBucket(tx, siteId, filter, widthMs),
    ...(await listTopOfSite(tx, siteId, filter)),
  };
}

/** E-mail and full name by user id, former members included. */
export async function loadUserNames(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, { userName: string; fullName: string }>> {
  const { rows } = await sql<{ id: number; userName: string; fullName: string }>`
    select user_id as id, email as "userName", first_name || ' ' || last_name as "fullName" from account
    where user_id = any(${[...ids]}::int[])`.execute(tx);
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}

/** The ten parts of an axis with the most rows: whole cells from their counts, the edges from the rows. */
async function listTop(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  axis: AxisCells,
  part: RawBuilder<unknown>,
  text = sql`part::text`,
) {
  const { wholeCells, edges } = splitSpan(filter, axis.widthMs);
  const parts = [
    ...(wholeCells ? [sql`select part, n from (${axis.selectCells(wholeCells)}) c`] : []),
    ...edges.map(
      (edge) => sql`select ${part}, 1 from ${selectRowsByTime(siteId, filter, edge, axis.rowCondition)} r`,
    ),
  ];
  const { rows } = await sql<{ id: string; count: number }>`
    select ${text} as id, sum(n)::bigint as count from (${sql.join(parts, sql` union all `)}) p (part, n)
    group by part order by count desc, part limit 10`.execute(tx);
  return rows;
}

/** The ten users and ten addresses with the most rows of the whole site. */
async function listTopOfSite(tx: Tx, siteId: number, filter: ActivityFilter) {
  const users = await listTop(tx, siteId, filter, buildAllUsersAxis(siteId, filter), sql`user_id`);
  const addresses = await listTop(
    tx,
    siteId,
    filter,
    buildAllAddressesAxis(siteId, filter),
    sql`ip_address`,
    sql`host(part)`,
  );
  return { users: users.map(({ id, count }) => ({ id: Number(id), count })), addresses };
}
