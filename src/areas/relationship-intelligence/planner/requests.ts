/** Legal requests of an import, and when they run (spec 4.5, 8). Pure. */
import type { ItemKind } from '../formats/items.ts';

/** Limits of the site's imports by jobs (contract, ImportLimits). */
export interface RequestLimits {
  emailsPerUser: number;
  emailsPerJobRequest: number;
  meetingsPerUser: number;
  meetingsPerJobRequest: number;
  requestsPerMinute: number;
}

/** The next items of one user: `count` from the item at `from`, in chronological order. */
export interface RequestShare {
  userId: number;
  from: number;
  count: number;
}

export interface PlannedRequest {
  kind: ItemKind;
  shares: readonly RequestShare[];
  count: number;
}

const getLimits = (kind: ItemKind, limits: RequestLimits) =>
  kind === 'emails'
    ? { perUser: limits.emailsPerUser, perRequest: limits.emailsPerJobRequest }
    : { perUser: limits.meetingsPerUser, perRequest: limits.meetingsPerJobRequest };

/**
 * Distributes the items of users over as few requests as possible. Each request takes from the users with most left, because the user
 * with most items decides how many requests there are at least. The job fills its requests with the shares in this order
 * (contract/rules/import-requests.ts), which gives the same requests.
 * @param counts number of items by user id
 */
export function planRequests(
  kind: ItemKind,
  counts: ReadonlyMap<number, number>,
  limits: RequestLimits,
): PlannedRequest[] {
  const { perUser, perRequest } = getLimits(kind, limits);
  const open = Array.from(counts, ([userId, count]) => ({ userId, from: 0, left: count })).filter(
    ({ left }) => left > 0,
  );
  const requests: PlannedRequest[] = [];
  while (open.some(({ left }) => left > 0)) {
    open.sort((one, other) => other.left - one.left || one.userId - other.userId);
    const shares: RequestShare[] = [];
    let room = perRequest;
    for (const user of open) {
      const count = Math.min(perUser, user.left, room);
      if (count === 0) break;
      shares.push({ userId: user.userId, from: user.from, count });
      user.from += count;
      user.left -= count;
      room -= count;
    }
    // A site whose limits allow nothing has no requests.
    if (shares.length === 0) break;
    requests.push({ kind, shares, count: perRequest - room });
  }
  return requests;
}

/** Why a plan has as many requests as it has: one user has more items than the sum of all would need. */
export interface LongestMailbox {
  userId: number;
  count: number;
  /** Most items of one user in a request. */
  perUser: number;
  /** Requests without this user. */
  otherwise: number;
}

/** The user who makes the plan longer than the others would; undefined if nobody does. */
export function findLongestMailbox(
  kind: ItemKind,
  counts: ReadonlyMap<number, number>,
  limits: RequestLimits,
): LongestMailbox | undefined {
  const { perUser } = getLimits(kind, limits);
  let longest: { userId: number; count: number } | undefined;
  for (const [userId, count] of counts) if (count > (longest?.count ?? 0)) longest = { userId, count };
  if (!longest) return undefined;
  const others = new Map(counts);
  others.delete(longest.userId);
  const otherwise = planRequests(kind, others, limits).length;
  const needed = planRequests(kind, counts, limits).length;
  return otherwise > 0 && otherwise < needed ? { ...longest, perUser, otherwise } : undefined;
}

const MINUTE_MS = 60_000;
/** Assumed duration of a request with the most items. */
const REQUEST_MS = 9_000;

/** When each request starts, in milliseconds since 1970, and when the last ends. */
export interface Timeline {
  starts: readonly number[];
  end: number;
}

/** Schedules requests one at a time at the pace of the site. */
export function scheduleRequests(
  count: number,
  { start, requestsPerMinute }: { start: number; requestsPerMinute: number },
): Timeline {
  const gap = MINUTE_MS / requestsPerMinute;
  const starts = Array.from({ length: count }, (_, at) => start + at * gap);
  return { starts, end: (starts.at(-1) ?? start) + (count === 0 ? 0 : REQUEST_MS) };
}
