import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';
import {
  buildAddressParts,
  buildSiteAxis,
  buildUserParts,
  listCellStarts,
  type Parts,
} from './cells.store.ts';
import type { ActivityFilter } from './filter.ts';
import { selectMatchingRows } from './report.store.ts';
import { type CellSum, getCellStart, type Span, splitSpan, splitSpanCheaply } from './segments.ts';

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

/**
 * Summary of the report: counts by hour or day, and the ten users and ten addresses with the most rows. `depths`: among how many cells
 * these are searched, whatever the number of rows.
 */
export async function readSummary(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  bucket: 'hour' | 'day',
  depths?: readonly number[],
): Promise<Summary> {
  const widthMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  if (filter.userIds ?? filter.principalIds ?? filter.network ?? filter.exportedType)
    return summarizeRows(tx, siteId, filter, widthMs);
  const counts = await countSiteByBucket(tx, siteId, filter, widthMs);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const searched = depths ?? (total > FEW_ROWS ? DEPTHS : []);
  const users = await listTop(tx, filter, buildUserParts(siteId, filter), searched);
  const addresses = await listTop(tx, filter, buildAddressParts(siteId, filter), searched);
  return { counts, users: users.map(({ id, count }) => ({ id: Number(id), count })), addresses };
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

const TOP = 10;
/** Number of parts that are counted, of those that may have the most rows. */
const CANDIDATES = 25;
/** Numbers of cells of each kind and interval among which candidates are searched, one after the other, before all are counted. */
const DEPTHS: readonly number[] = [25, 250];
/** Up to this number of rows, counting all parts takes less than searching candidates. */
const FEW_ROWS = 200_000;

interface CountedPart {
  id: string;
  count: number;
}

/** The ten parts with the most rows, counted from cells and the rows at their edges. */
async function countTop(
  tx: Tx,
  { column, text }: Parts,
  { cells, added, subtracted }: CellSum,
  select: { cells: (span: Span) => RawBuilder<unknown>; rows: (span: Span) => RawBuilder<unknown> },
): Promise<CountedPart[]> {
  const selections = [
    ...(cells ? [sql`select part, n from (${select.cells(cells)}) c`] : []),
    ...added.map((span) => sql`select ${column}, 1 from ${select.rows(span)} r`),
    ...subtracted.map((span) => sql`select ${column}, -1 from ${select.rows(span)} r`),
  ];
  const { rows } = await sql<CountedPart>`
    select ${text} as id, sum(n)::bigint as count from (${sql.join(selections, sql` union all `)}) p (part, n)
    group by part having sum(n) > 0 order by count desc, part limit ${TOP}`.execute(tx);
  return rows;
}

/** Selects the kinds of the filter with the starts of the cells in the span: `kind`, `start`. */
const selectLists = ({ selectKinds, widthMs }: Parts, span: Span) =>
  sql`select kind, start from (${selectKinds}) k cross join unnest(${listCellStarts(span, widthMs)}) as start`;

/**
 * The parts that may have the most rows, and the most rows that any other part can have. Of the cells of each kind and interval only the
 * `depth` largest are read; a part that is not among them has at most as many rows there as the smallest of them.
 */
async function findCandidates(
  tx: Tx,
  parts: Parts,
  period: Span,
  depth: number,
): Promise<{ ids: string[]; mostOfOthers: number }> {
  const span = { ...period, from: getCellStart(period.from, parts.widthMs) };
  const largestCells = sql`${parts.selectCells(sql`list.kind`, sql`list.start`)} order by n desc limit ${depth}`;
  const { rows } = await sql<{ id: string | null; most: number }>`
    with list as materialized (${selectLists(parts, span)}),
      largest as materialized (select kind, start, part, n from list cross join lateral (${largestCells}) c),
      remaining as materialized (select kind, start, case when count(*) < ${depth} then 0 else min(n) end as n
        from largest group by kind, start)
    select id, most from (
      select ${parts.text} as id, (select coalesce(sum(n), 0) from remaining) + sum(largest.n - remaining.n)::bigint as most
      from largest join remaining using (kind, start) group by part
      union all select null, coalesce(sum(n), 0)::bigint from remaining) found
    order by id is null, most desc limit ${CANDIDATES + 1}`.execute(tx);
  const ids = rows.slice(0, CANDIDATES).flatMap(({ id }) => id ?? []);
  return { ids, mostOfOthers: rows[ids.length]?.most ?? 0 };
}

/**
 * The ten parts of the site with the most rows. Candidates are counted first: their counts are the result if no other part can have as
 * many rows as the last of them (the threshold algorithm of Fagin, Lotem and Naor). Where parts have nearly the same counts, all are counted.
 */
async function listTop(
  tx: Tx,
  filter: ActivityFilter,
  parts: Parts,
  depths: readonly number[],
): Promise<CountedPart[]> {
  const sum = splitSpanCheaply(filter, parts.widthMs);
  for (const depth of depths) {
    const { ids, mostOfOthers } = await findCandidates(tx, parts, filter, depth);
    const axis = parts.buildAxis(ids);
    const top = await countTop(tx, parts, sum, {
      cells: (span) => axis.selectCells(span),
      rows: (span) => axis.selectRows(span),
    });
    const last = top.length < TOP ? 0 : (top.at(-1)?.count ?? 0);
    if (mostOfOthers === 0 || last > mostOfOthers) return top;
  }
  return countTop(tx, parts, sum, {
    cells: (cells) => sql`select part, n from (${selectLists(parts, cells)}) list
      cross join lateral (${parts.selectCells(sql`list.kind`, sql`list.start`)}) c`,
    rows: (span) => parts.selectRows(span),
  });
}
