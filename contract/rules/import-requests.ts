/** Which items of an import by a job are one request (spec 4.5, 8). The planner of the console counts on it. */

/** Most items of a request. */
export interface RequestCapacity {
  perUser: number;
  perRequest: number;
  /** Most bytes of its body. */
  bytes: number;
}

/** The next items of one user in chronological order. */
export interface RequestPart {
  userId: number;
  count: number;
  bytes: number;
  /** Time of the first item and of the last one, in milliseconds since 1970; undefined without items. */
  span: { first: number; last: number } | undefined;
}

/** `added`: the part is of a user who is not in the request; `joined`: it continues the part before, which is of the same user. */
type Placement = 'added' | 'joined';

/** Bytes of a part besides its items. */
const PART_BYTES = 64;

/**
 * Fills one request with parts in their order. The returned function says how the next part is placed, or undefined if it begins the
 * next request. The first part is always placed.
 */
export function createRequestFilling(
  capacity: RequestCapacity,
): (part: RequestPart) => Placement | undefined {
  const users = new Set<number>();
  let [count, bytes] = [0, 0];
  let last: RequestPart | undefined;
  return (part) => {
    const continues =
      last?.userId === part.userId &&
      last.count + part.count <= capacity.perUser &&
      (!last.span || !part.span || last.span.last <= part.span.first);
    const fits =
      count + part.count <= capacity.perRequest && bytes + part.bytes + PART_BYTES <= capacity.bytes;
    if (last && !(fits && (continues || !users.has(part.userId)))) return undefined;
    users.add(part.userId);
    count += part.count;
    bytes += part.bytes + PART_BYTES;
    last = continues && last ? joinParts(last, part) : part;
    return continues ? 'joined' : 'added';
  };
}

const joinParts = (one: RequestPart, next: RequestPart): RequestPart => ({
  userId: one.userId,
  count: one.count + next.count,
  bytes: one.bytes + next.bytes,
  span: one.span && next.span ? { first: one.span.first, last: next.span.last } : (next.span ?? one.span),
});
