import { isIPv6 } from 'node:net';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { retryLater } from '../http/errors.ts';

/** At most `limit` in a window of so many seconds. */
export interface Limit {
  limit: number;
  seconds: number;
}

const LINK_CALLS: Limit = { limit: 60, seconds: 300 };

/**
 * Counts one more of `key`, or `by` more, in its fixed window and refuses what is over the limit. The counter is a row, so that the
 * limit holds across processes; it commits on its own, so that a failing request is counted too (T13).
 * @throws ApiError 429 with Retry-After
 */
export async function countOrRefuse(
  db: Db,
  key: string,
  { limit, seconds }: Limit,
  message: string,
  by = 1,
): Promise<void> {
  const { rows } = await sql<{ count: number; left: number }>`
    insert into throttle as t (key, count, window_started_at) values (${key}, ${by}, now())
    on conflict (key) do update set
      count = case when t.window_started_at < now() - make_interval(secs => ${seconds}) then excluded.count else t.count + excluded.count end,
      window_started_at = case when t.window_started_at < now() - make_interval(secs => ${seconds}) then now() else t.window_started_at end
    returning count, extract(epoch from window_started_at + make_interval(secs => ${seconds}) - now())::float8 as left`.execute(
    db,
  );
  const [row] = rows;
  // Whoever begins a window clears away those that are long over.
  if (row?.count === by)
    await sql`delete from throttle where window_started_at < now() - interval '1 day'`.execute(db);
  if (row && row.count > limit) throw retryLater(429, message, row.left);
}

/**
 * Refuses while a counter is over its limit, without counting: for what is counted only when it fails.
 * @throws ApiError 429 with Retry-After
 */
export async function refuseOver(
  db: Db,
  key: string,
  { limit, seconds }: Limit,
  message: string,
): Promise<void> {
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from window_started_at + make_interval(secs => ${seconds}) - now())::float8 as left
    from throttle where key = ${key} and count >= ${limit}
      and window_started_at > now() - make_interval(secs => ${seconds})`.execute(db);
  const [row] = rows;
  if (row) throw retryLater(429, message, row.left);
}

/** Mailed links are called for by people without a session: their address is what can be counted. */
export const countLinkCall = (db: Db, ip: string, deed: 'tried' | 'asked for'): Promise<void> =>
  countOrRefuse(db, `link:${addressKey(ip)}`, LINK_CALLS, `Too many links ${deed} from this address`);

/** Forgets what was counted under a key: the tries before a right password. */
export async function forget(db: Db, key: string): Promise<void> {
  await db.deleteFrom('throttle').where('key', '=', key).execute();
}

/** What a limit by address counts: an IPv4 address, or the /64 network that one customer has of IPv6. */
export function addressKey(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail = ''] = ip.replace(/%.*$/, '').toLowerCase().split('::');
  const before = head.split(':').filter(Boolean);
  const after = tail.split(':').filter(Boolean);
  const gap = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...gap, ...after].slice(0, 4).join(':')}::/64`;
}
