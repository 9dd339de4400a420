import { isIPv6 } from 'node:net';
import { sql } from 'kysely';
import { retryLater } from '../api-error.ts';
import type { Db } from '../db/database.ts';

/** At most `maxCount` in a fixed window of `windowSeconds`. */
export interface RateLimit {
  maxCount: number;
  windowSeconds: number;
}

const LINK_RATE_LIMIT: RateLimit = { maxCount: 60, windowSeconds: 300 };

/**
 * Adds `amount` to the counter of `key` and rejects the request if the counter exceeds the limit. The counter is a row, so the limit
 * holds across processes; it is committed separately, so that failing requests count as well (T13).
 * @throws ApiError 429 with Retry-After
 */
export async function consumeRateLimit(
  db: Db,
  key: string,
  { maxCount, windowSeconds }: RateLimit,
  message: string,
  amount = 1,
): Promise<void> {
  const { rows } = await sql<{ count: number; left: number }>`
    insert into throttle as t (key, count, window_started_at) values (${key}, ${amount}, now())
    on conflict (key) do update set
      count = case when t.window_started_at < now() - make_interval(secs => ${windowSeconds}) then excluded.count else t.count + excluded.count end,
      window_started_at = case when t.window_started_at < now() - make_interval(secs => ${windowSeconds}) then now() else t.window_started_at end
    returning count, extract(epoch from window_started_at + make_interval(secs => ${windowSeconds}) - now())::float8 as left`.execute(
    db,
  );
  const [row] = rows;
  if (row && row.count > maxCount) throw retryLater(429, message, row.left);
}

/**
 * Rejects the request while a counter has reached its limit, without counting it: for actions that count only when they fail.
 * @throws ApiError 429 with Retry-After
 */
export async function rejectOverLimit(
  db: Db,
  key: string,
  { maxCount, windowSeconds }: RateLimit,
  message: string,
): Promise<void> {
  const { rows } = await sql<{ count: number; left: number }>`
    select count, extract(epoch from window_started_at + make_interval(secs => ${windowSeconds}) - now())::float8 as left
    from throttle where key = ${key} and window_started_at > now() - make_interval(secs => ${windowSeconds})`.execute(
    db,
  );
  const [row] = rows;
  if (row && row.count >= maxCount) throw retryLater(429, message, row.left);
}

/** Rate limit per address for requesting and using mailed links, which happens without a session. */
export const consumeLinkRateLimit = (db: Db, ip: string, action: 'opened' | 'requested'): Promise<void> =>
  consumeRateLimit(
    db,
    `link:${getAddressKey(ip)}`,
    LINK_RATE_LIMIT,
    `Too many links ${action} from this address`,
  );

const PASSWORD_MAIL_RATE_LIMIT: RateLimit = { maxCount: 3, windowSeconds: 3600 };

/** Rate limit of mails to one user with a link to set a password, whoever asks for them. @throws ApiError 429 */
export const consumePasswordMailLimit = (db: Db, userId: number): Promise<void> =>
  consumeRateLimit(
    db,
    `mail:${userId}`,
    PASSWORD_MAIL_RATE_LIMIT,
    'Three links were sent to this user within an hour',
  );

/** Resets the counter of a key, such as failed attempts after a correct password. */
export async function resetRateLimit(db: Db, key: string): Promise<void> {
  await db.deleteFrom('throttle').where('key', '=', key).execute();
}

/** Counters deleted by one statement. */
const DELETE_BATCH_ROWS = 5_000;

/** Deletes a batch of counters whose windows began more than a day ago; no window is longer. @returns whether there may be more */
export async function deleteEndedWindows(db: Db, limit = DELETE_BATCH_ROWS): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from throttle where key in (
    select key from throttle where window_started_at < now() - interval '1 day'
    order by window_started_at limit ${limit} for update skip locked)`.execute(db);
  return numAffectedRows === BigInt(limit);
}

/** Key of rate limits per address: the IPv4 address, or the /64 network of an IPv6 address, which belongs to one customer. */
export function getAddressKey(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [start = '', end = ''] = ip.replace(/%.*$/, '').toLowerCase().split('::');
  const startGroups = start.split(':').filter(Boolean);
  const endGroups = end.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - startGroups.length - endGroups.length) }, () => '0');
  return `${[...startGroups, ...zeros, ...endGroups].slice(0, 4).join(':')}::/64`;
}
