import { ApiError, retryLater } from '../../../kernel/api-error.ts';
import { createCacheKey } from '../../../kernel/cache.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { loadChangesSince, loadVersion } from '../../../kernel/db/type-versions.ts';
import { formatNumber } from '../../../kernel/numbers.ts';
import type { SchemaField } from '../../schema/index.ts';
import { concatIds } from '../query/id-list.ts';
import { countMatches } from '../query/matching.store.ts';
import { getQueryKey } from '../query/resolve-query.ts';
import {
  cacheComparison,
  type ChangeSets,
  type Comparison,
  getCachedComparison,
  mergeChangeSets,
  toChangeSets,
} from './as-of-cache.ts';
import {
  type ChangedEntries,
  findChangedSince,
  findMatchingNow,
  findMatchingThen,
} from './as-of-changes.store.ts';
import type { AsOfQuery } from './as-of-rows.store.ts';

/** Limits of the comparison of a list as of a date with the current one; tests lower them. */
export const asOfLimits = {
  /** Entries changed since the date; with more the request is rejected. */
  maxChanged: 2_000_000,
  /** Entries compared by one statement; bounds the time for which it blocks the embedded database. */
  batchSize: 10_000,
  /** Entries compared in the request of a page, and ids passed to its statement; more are compared and listed beforehand. */
  maxInline: 20_000,
  /** Entries of a list that is sorted as a whole. */
  maxListed: 5_000_000,
};

/** A list as of a date, and the fields whose values count as a difference. */
export interface ComparisonRequest {
  query: AsOfQuery;
  fields: readonly SchemaField[];
}

/** @throws ApiError 400 with the reason */
export function rejectAsOf(reason: string): never {
  throw new ApiError(400, `The list as of this date is not available: ${reason}`, [
    { path: 'asOf', message: reason },
  ]);
}

const getComparisonKey = ({ query, fields }: ComparisonRequest): string =>
  createCacheKey([getQueryKey({ ...query, sort: undefined }), query.at, fields.map(({ id }) => id)]);

/** Exclusive start of the search for changes, one millisecond earlier than `since`: changes at `since` itself count. */
const getStart = ({ at }: AsOfQuery, since: Date): Date =>
  new Date(Math.max(at.getTime(), since.getTime() - 1));

/**
 * Compares a list of which many entries have changed before its page is read: in batches, outside the snapshot of the
 * page and one list at a time. Entries that change during the comparison are compared with the page.
 */
export async function prepareComparison(db: Db, request: ComparisonRequest): Promise<void> {
  const { query } = request;
  const { maxInline } = asOfLimits;
  const isLarge = async () => {
    const cached = getCachedComparison(getComparisonKey(request));
    const newer = cached && (await loadChangesSince(db, query.context.siteId, query.type.id, cached.version));
    if (cached && newer?.version === cached.version) return false;
    const { all } = await findChangedSince(
      db,
      query,
      getStart(query, newer?.since ?? query.at),
      maxInline + 1,
    );
    return all.length > maxInline;
  };
  if (!(await isLarge())) return;
  await runExclusive(async () => {
    // A request earlier in the queue may have compared the same list.
    if (await isLarge()) await getComparison(db, request);
  });
}

/** The comparison of a list as the transaction sees it; usually cached by an earlier page and only updated. */
export async function getComparison(tx: Db, request: ComparisonRequest): Promise<Comparison> {
  const { query } = request;
  const cached = getCachedComparison(getComparisonKey(request));
  if (!cached) return compareAllChanges(tx, request);
  const { siteId } = query.context;
  const { version, since } = await loadChangesSince(tx, siteId, query.type.id, cached.version);
  if (version === cached.version) return cached;
  if (!since) return compareAllChanges(tx, request);
  const comparison = { ...(await updateComparison(tx, request, cached, since)), version };
  cacheComparison(comparison);
  return comparison;
}

/** Updates a comparison by the entries changed since a timestamp, which may overlap with those it already contains. */
async function updateComparison(
  tx: Db,
  request: ComparisonRequest,
  cached: Comparison,
  since: Date,
): Promise<Comparison> {
  const { query } = request;
  const changes = await findChangedSince(tx, query, getStart(query, since), asOfLimits.maxChanged + 1);
  // A transaction that started before the date and committed after the comparison changes the list as of the date, too.
  const includesStart = since <= query.at;
  const lists = cached.lists.filter(({ namesVersion }) => namesVersion === undefined && !includesStart);
  if (changes.all.length === 0 && !includesStart) return { ...cached, lists };
  const changeSets = mergeChangeSets(cached.changeSets, await compareEntries(tx, request, changes));
  const matches = await countMatches(tx, query);
  // The list as of the date does not depend on later changes.
  return { ...cached, changeSets, matches, lists: lists.filter(({ part }) => part === 'then') };
}

/** @throws ApiError 400 when too many entries have changed */
async function compareAllChanges(db: Db, request: ComparisonRequest): Promise<Comparison> {
  const { query } = request;
  const { maxChanged } = asOfLimits;
  // Read first: changes committed during the comparison are then found by the next update.
  const { siteId } = query.context;
  const version = await loadVersion(db, { siteId, entries: { typeId: query.type.id, fieldIds: [] } });
  const changes = await findChangedSince(db, query, query.at, maxChanged + 1);
  if (changes.all.length > maxChanged)
    rejectAsOf(`more than ${formatNumber(maxChanged)} entries have changed since then; choose a later date`);
  const changeSets = await compareEntries(db, request, changes);
  const comparison: Comparison = {
    key: getComparisonKey(request),
    changeSets,
    matches: await countMatches(db, query),
    version,
    lists: [],
  };
  cacheComparison(comparison);
  return comparison;
}

async function compareEntries(
  db: Db,
  { query, fields }: ComparisonRequest,
  { all, existedThen }: ChangedEntries,
): Promise<ChangeSets> {
  const { batchSize } = asOfLimits;
  const batches: Awaited<ReturnType<typeof findMatchingThen>>[] = [];
  for (let from = 0; from < existedThen.length; from += batchSize)
    // Other statements run between two batches.
    batches.push(await findMatchingThen(db, query, existedThen.slice(from, from + batchSize), fields));
  return toChangeSets({
    all,
    matchedBefore: concatIds(batches.map(({ matching }) => matching)),
    differing: concatIds(batches.map(({ differing }) => differing)),
    matchingNow: await findMatchingNow(db, query, all),
  });
}

/** One long comparison runs at a time in this process and few wait for it, because each takes seconds of database time. */
const MAX_WAITING = 4;
let waitingCount = 0;
let last: Promise<unknown> = Promise.resolve();

async function runExclusive(work: () => Promise<void>): Promise<void> {
  if (waitingCount >= MAX_WAITING)
    throw retryLater(503, 'Other lists as of a date are being prepared. Try again in a moment.', 10);
  waitingCount += 1;
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  try {
    await turn;
  } finally {
    waitingCount -= 1;
  }
}
