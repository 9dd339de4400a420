import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';
import { siteAxis, everybodyAxis, everywhereAxis, rowsByTime, type Axis } from './cells.store.ts';
import type { Filter } from './rules.ts';
import { cut } from './segments.ts';
import { readWay } from './store.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;

interface Counted {
  bucket: Date;
  type: number;
  n: number;
}

/** Who or from where, with how many rows. */
interface Top<T> {
  of: T;
  n: number;
}

export interface Summary {
  counts: Counted[];
  users: Top<number>[];
  addresses: Top<string>[];
}

const bin = (widthMs: number, at: RawBuilder<unknown>) =>
  sql`date_bin(make_interval(secs => ${widthMs / 1000}), ${at}, timestamptz '2000-01-03 00:00:00Z')`;

/** How many rows there are of each type in each hour or day. On the whole site the cells know, else the rows say. */
async function countSite(tx: Tx, siteId: number, filter: Filter, widthMs: number): Promise<Counted[]> {
  const axis = siteAxis(siteId, filter);
  const { whole, edges } = cut(filter, HOUR_MS);
  const parts = [
    ...(whole ? [sql`select bucket, kind, n from (${axis.cells(whole)}) c`] : []),
    ...edges.map((edge) => sql`select at, kind, 1 from ${axis.rows(edge)} r`),
  ];
  const { rows } = await sql<Counted>`
    select ${bin(widthMs, sql`bucket`)} as bucket, kind & 15 as type, sum(n)::bigint as n
    from (${sql.join(parts, sql` union all `)}) p (bucket, kind, n) group by 1, 2 order by 1, 2`.execute(tx);
  return rows;
}

/** The same of some people or addresses, with those who did most of it. */
async function countRows(tx: Tx, siteId: number, filter: Filter, widthMs: number): Promise<Summary> {
  const found = await readWay(tx, siteId, filter);
  const { rows } = await sql<{ counts: Counted[]; users: Top<number>[]; addresses: Top<string>[] }>`
    with hit as materialized (select at, kind, user_id, ip_address from ${found} r)
    select coalesce((select json_agg(c order by bucket, type) from
        (select ${bin(widthMs, sql`at`)} as bucket, kind & 15 as type, count(*) as n from hit group by 1, 2) c), '[]') as counts,
      coalesce((select json_agg(u) from (select user_id as of, count(*) as n from hit
        group by 1 order by n desc, 1 limit 10) u), '[]') as users,
      coalesce((select json_agg(i) from (select host(ip_address) as of, count(*) as n from hit
        where ip_address is not null group by ip_address order by n desc, ip_address limit 10) i), '[]') as addresses`.execute(
    tx,
  );
  const [summary = { counts: [], users: [], addresses: [] }] = rows;
  return { ...summary, counts: summary.counts.map((each) => ({ ...each, bucket: new Date(each.bucket) })) };
}

/** The report as counts, in hours or days, with the ten people and the ten addresses that are most in it. */
export async function readSummary(
  tx: Tx,
  siteId: number,
  filter: Filter,
  bucket: 'hour' | 'day',
): Promise<Summary> {
  const widthMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  if (filter.userIds ?? filter.principalIds ?? filter.network) return countRows(tx, siteId, filter, widthMs);
  return {
    counts: await countSite(tx, siteId, filter, widthMs),
    ...(await topsOfSite(tx, siteId, filter)),
  };
}

/** Login address and name of people, also of those who have left the site. */
export async function namesOf(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, { userName: string; fullName: string }>> {
  const { rows } = await sql<{ id: number; userName: string; fullName: string }>`
    select user_id as id, email as "userName", first_name || ' ' || last_name as "fullName" from account
    where user_id = any(${[...ids]}::int[])`.execute(tx);
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}

/** The ten parts of an axis with the most rows: from its whole weeks, and at the edges from the rows. */
async function tops(
  tx: Tx,
  siteId: number,
  filter: Filter,
  axis: Pick<Axis, 'widthMs' | 'condition' | 'cells'>,
  part: RawBuilder<unknown>,
  text = sql`part::text`,
) {
  const { whole, edges } = cut(filter, axis.widthMs);
  const parts = [
    ...(whole ? [sql`select part, n from (${axis.cells(whole)}) c`] : []),
    ...edges.map((edge) => sql`select ${part}, 1 from ${rowsByTime(siteId, filter, edge, axis.condition)} r`),
  ];
  const { rows } = await sql<{ of: string; n: number }>`
    select ${text} as of, sum(n)::bigint as n from (${sql.join(parts, sql` union all `)}) p (part, n)
    group by part order by n desc, part limit 10`.execute(tx);
  return rows;
}

/** Who and which addresses are most in the report of the whole site. */
async function topsOfSite(tx: Tx, siteId: number, filter: Filter) {
  const users = await tops(tx, siteId, filter, everybodyAxis(siteId, filter), sql`user_id`);
  const addresses = await tops(
    tx,
    siteId,
    filter,
    everywhereAxis(siteId, filter),
    sql`ip_address`,
    sql`host(part)`,
  );
  return { users: users.map(({ of, n }) => ({ of: Number(of), n })), addresses };
}
