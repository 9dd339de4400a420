/**
 * Leases of rows: which process works on a job, a destination, an import or a check of a backup (docs/decisions/0084). A claim raises the
 * fence of the row and sets the end of the lease; the holder renews it, and after its end another process may claim the row. Every
 * statement with which the holder writes has its fence as condition, so a process that was frozen and goes on writes nothing. All
 * times are those of the database.
 */
import { type RawBuilder, sql } from 'kysely';

/** The end of a lease that is claimed or renewed now. */
const createEnd = (seconds: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;

const ref = (column: string, alias: string | undefined) =>
  sql.ref(alias === undefined ? column : `${alias}.${column}`);

/** The statements of leases in a table. The columns are `fence int not null` and `lease_until timestamptz`, or have other names. */
export function createLeases({
  fence = 'fence',
  until = 'lease_until',
}: { fence?: string; until?: string } = {}) {
  const fenceColumn = sql.ref(fence);
  const untilColumn = sql.ref(until);
  return {
    /** SQL condition: a process holds the lease of the row. `alias`: that of the table. */
    isHeld: (alias?: string): RawBuilder<boolean> =>
      sql<boolean>`coalesce(${ref(until, alias)} > now(), false)`,
    /** SQL condition: nobody has claimed the row since the claim with this fence. */
    isUnclaimedSince: (claimed: number): RawBuilder<boolean> => sql<boolean>`${fenceColumn} = ${claimed}`,
    /** SQL assignments that claim the row; `isClaimed`: only where this condition holds. */
    claim: (seconds: number, alias?: string, isClaimed?: RawBuilder<boolean>): RawBuilder<unknown> => {
      const [oldFence, oldEnd] = [ref(fence, alias), ref(until, alias)];
      return isClaimed
        ? sql`${fenceColumn} = case when ${isClaimed} then ${oldFence} + 1 else ${oldFence} end,
            ${untilColumn} = case when ${isClaimed} then ${createEnd(seconds)} else ${oldEnd} end`
        : sql`${fenceColumn} = ${oldFence} + 1, ${untilColumn} = ${createEnd(seconds)}`;
    },
    /** SQL assignment that renews the lease. */
    renew: (seconds: number): RawBuilder<unknown> => sql`${untilColumn} = ${createEnd(seconds)}`,
    /** SQL assignment that ends the lease. */
    end: sql`${untilColumn} = null`,
    /** SQL assignments that end the lease whoever holds it; the holder writes nothing any more. */
    revoke: sql`${fenceColumn} = ${fenceColumn} + 1, ${untilColumn} = null`,
  };
}
