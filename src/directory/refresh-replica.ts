import { ServiceError } from '../api/errors.ts';
import { getSession } from '../api/generated/sdk.gen.ts';
import { isSameIdentity, isSameUserAndSite } from '../api/session-state.ts';
import type { DirectoryRow } from './engine/row.ts';
import { packRow } from './pack-rows.ts';
import { PAGE_SIZE } from './read-all-pages.ts';
import { readChangedUsers, readAllUsers, readGroups } from './read-users.ts';
import type { ReplicaMeta } from './replica-store.ts';
import type { ReplicaChange, Replica } from './replica.ts';

/** `due`: whatever is due by time; `changes`: read changes now, after a write; `everything`: read all users again. */
export type RefreshMode = 'due' | 'changes' | 'everything';

const FRESH_MS = 55_000;
// A write that commits late may have an earlier timestamp than one already read.
const CHANGES_OVERLAP_MS = 60_000;
// `modifiedSince` accepts at most 180 days (shapes 1).
const MAX_CHANGES_AGE_MS = 170 * 86_400_000;
// Reading changes does not reveal removed users. A full read follows after this interval or, on a large site, after a
// multiple of its duration.
const MIN_FULL_READ_INTERVAL_MS = 600_000;
const FULL_READ_INTERVAL_FACTOR = 40;

const isFresh = ({ refreshedAt }: ReplicaMeta): boolean => Date.now() - refreshedAt < FRESH_MS;

const isFullReadDue = ({ complete, asOf, fullReadMs }: ReplicaMeta): boolean =>
  !complete ||
  Date.now() - asOf >= Math.max(MIN_FULL_READ_INTERVAL_MS, FULL_READ_INTERVAL_FACTOR * fullReadMs);

const canReadChanges = ({ complete, refreshedAt }: ReplicaMeta): boolean =>
  complete && Date.now() - refreshedAt < MAX_CHANGES_AGE_MS;

/** Brings the replica up to date; `onProgress` is called after each step that changed it. */
export async function refreshReplica(
  replica: Replica,
  mode: RefreshMode,
  onProgress: () => void,
): Promise<void> {
  const requestedAt = Date.now();
  if (mode !== 'everything' && canReadChanges(replica.meta)) {
    await replica.runExclusive('changes', async () => {
      if (await replica.loadRemoteChanges()) onProgress();
      // Another tab may have refreshed in the meantime.
      if (mode === 'due' && isFresh(replica.meta)) return;
      await readChanges(replica);
      onProgress();
    });
    if (mode === 'changes') return;
  }
  const isDue = () =>
    isFullReadDue(replica.meta) || (mode === 'everything' && replica.meta.asOf < requestedAt);
  if (!isDue()) return;
  await replica.runExclusive('whole', async () => {
    if (await replica.loadRemoteChanges()) onProgress();
    if (!isDue()) return;
    await readEverything(replica, onProgress);
    onProgress();
  });
}

/** Returns the rows that differ from the replica and are not older than its rows. */
const findChangedRows = (replica: Replica, rows: readonly DirectoryRow[]): DirectoryRow[] =>
  rows.filter((row) => {
    const [stored] = replica.index.getRows([row.id]);
    return !stored || (stored.modifiedAt <= row.modifiedAt && packRow(stored) !== packRow(row));
  });

/**
 * Checks that the session is still the one of the replica: another tab may have changed user, site or acting while pages
 * were being read. Clears the replica otherwise.
 * @throws ServiceError 409 after a change of acting, 401 after another change
 */
async function assertSameIdentity({ meta, clear }: Replica): Promise<void> {
  const { data } = await getSession();
  const currentIdentity = { userId: data.user.id, siteId: data.site.id, reportId: data.acting?.reportId };
  if (isSameIdentity(currentIdentity, meta)) return;
  await clear();
  throw isSameUserAndSite(currentIdentity, meta)
    ? new ServiceError(409, 'This session now acts for a different user')
    : new ServiceError(401, 'The session has ended');
}

/** Returns the groups if they have changed; unchanged groups must not cause pages to render again. */
const getGroupsPatch = (
  replica: Replica,
  groups: ReplicaMeta['groups'],
): Pick<ReplicaMeta, 'groups'> | undefined =>
  JSON.stringify(replica.meta.groups) === JSON.stringify(groups) ? undefined : { groups };

async function readEverything(replica: Replica, onProgress: () => void): Promise<void> {
  const asOf = Date.now();
  const isFirstRead = !replica.meta.complete;
  const idsBefore = replica.index.getIds();
  const seenIds = new Set<number>();
  const changedRows: DirectoryRow[] = [];
  let startClock: number | undefined;
  const groups = await readGroups();
  for await (const { rows, serverClock } of readAllUsers()) {
    startClock ??= serverClock;
    for (const { id } of rows) seenIds.add(id);
    const newRows = findChangedRows(replica, rows);
    if (isFirstRead) {
      await replica.applyChange(() => ({ rows: newRows, meta: getGroupsPatch(replica, groups) }));
      onProgress();
    } else changedRows.push(...newRows);
  }
  await assertSameIdentity(replica);
  // Applied at the end, so that rows on screen stay until all new ones have been read.
  await replica.applyChange((): ReplicaChange => ({
    rows: findChangedRows(replica, changedRows),
    removedIds: [...idsBefore].filter((id) => !seenIds.has(id)),
    meta: {
      ...getGroupsPatch(replica, groups),
      complete: true,
      asOf,
      fullReadMs: Date.now() - asOf,
      refreshedAt: Math.max(asOf, replica.meta.refreshedAt),
      serverClock: Math.max(startClock ?? asOf, replica.meta.serverClock),
    },
  }));
}

async function readChanges(replica: Replica): Promise<void> {
  const refreshedAt = Date.now();
  const findPage = createPageFinder(replica.index.getIds());
  const [groups, { rows, serverClock = refreshedAt }] = await Promise.all([
    readGroups(),
    readChangedUsers(replica.meta.serverClock - CHANGES_OVERLAP_MS, findPage),
  ]);
  await assertSameIdentity(replica);
  await replica.applyChange(() => ({
    rows: findChangedRows(replica, rows),
    meta: {
      ...getGroupsPatch(replica, groups),
      refreshedAt,
      serverClock: Math.max(serverClock, replica.meta.serverClock),
    },
  }));
}

/** Creates a function that returns the page number of a user in the list ordered by id; undefined for a new user. */
function createPageFinder(ids: Int32Array): (userId: number) => number | undefined {
  return (userId) => {
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ids[middle] ?? 0) < userId) low = middle + 1;
      else high = middle;
    }
    return ids[low] === userId ? Math.floor(low / PAGE_SIZE) + 1 : undefined;
  };
}
