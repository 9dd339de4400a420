import type { UserActivitySummary } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Filter } from './rules.ts';
import { inSnapshot } from './store.ts';
import { namesOf, readSummary } from './summary.store.ts';

const DAY_MS = 86_400_000;
/** A longer period is counted by days. */
const DAYS_BY_HOUR = 7;

/** The counts of the rows that fit, with names. */
export async function summarize(
  db: Db,
  siteId: number,
  filter: Filter,
  now: number,
): Promise<UserActivitySummary> {
  const days = ((filter.to?.getTime() ?? now) - filter.from.getTime()) / DAY_MS;
  const bucket = days <= DAYS_BY_HOUR ? 'hour' : 'day';
  const { summary, names } = await inSnapshot(db, async (tx) => {
    const found = await readSummary(tx, siteId, filter, bucket);
    const ids = found.users.map(({ of }) => of);
    return { summary: found, names: await namesOf(tx, ids) };
  });
  const unknown = { userName: '', fullName: '' };
  return {
    totalRecords: summary.counts.reduce((sum, { n }) => sum + n, 0),
    bucket,
    counts: summary.counts.map((each) => ({
      date: each.bucket.toISOString(),
      activityTypeId: each.type,
      count: each.n,
    })),
    topUsers: summary.users.map(({ of, n }) => ({ userId: of, ...(names.get(of) ?? unknown), count: n })),
    topAddresses: summary.addresses.map(({ of, n }) => ({ ipAddress: of, count: n })),
  };
}
