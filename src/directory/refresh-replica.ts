import pLimit from 'p-limit';
import type { GroupInfoResponse, UserInfoResponse } from '../../contract/generated/types.gen.ts';
import { NO_ANSWER, ServiceError, toServiceError } from '../api/errors.ts';
import { listGroups } from '../api/generated/sdk/groups.gen.ts';
import { getUserLicense, searchUserLicenses } from '../api/generated/sdk/licenses.gen.ts';
import { getSession } from '../api/generated/sdk/session.gen.ts';
import { getUsersByIds, searchUsers } from '../api/generated/sdk/users.gen.ts';
import { isSameIdentity, isSameUserAndSite } from '../api/session-state.ts';
import { splitIntoChunks } from '../lib/chunks.ts';
import type { DirectoryRow, Licenses } from './engine/row.ts';
import { recordLicenses, toRow } from './engine/row.ts';
import { packRow } from './pack-rows.ts';
import { PAGE_SIZE, readAllPages } from './read-all-pages.ts';
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
  const removedIds = await findRemovedIds([...idsBefore].filter((id) => !seenIds.has(id)));
  await assertSameIdentity(replica);
  // Applied at the end, so that rows on screen stay until all new ones have been read.
  await replica.applyChange((): ReplicaChange => ({
    rows: findChangedRows(replica, changedRows),
    removedIds,
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

// Each page needs two calls, so four run at once. A browser sends six, which leaves two for other queries.
const PAGES_AHEAD = 2;
const MAX_CONCURRENT_CALLS = 4;
// Up to this many licenses are read one by one instead of by page.
const MAX_SINGLE_LICENSE_READS = 20;
const RETRY_DELAYS_MS = [500, 2000];
// Smallest share of the maximum page size of pages that overlap.
const MIN_SIZE_SHARE = 0.9;

const limitCalls = pLimit(MAX_CONCURRENT_CALLS);

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Retries a read without a connection or with 429 or 5xx, so that reading many pages need not start again. */
async function retryRead<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      // Attempts are sequential.
      return await read();
    } catch (thrown) {
      const { status, code } = toServiceError(thrown);
      if (code === NO_ANSWER) throw thrown;
      if (status !== 0 && status !== 429 && status < 500) throw thrown;
      // Attempts are sequential.
      await delay(delayMs);
    }
  }
  return read();
}

/**
 * Reads pages in order until one is not full: lists carry no totals (shapes 1). After a full first page, the next ones
 * are requested ahead.
 */
async function* readPages<Page>(
  read: (pageNumber: number) => Promise<Page>,
  isFull: (page: Page) => boolean,
): AsyncGenerator<Page> {
  const pending: Promise<Page>[] = [retryRead(() => read(1))];
  for (let next = 2; ;) {
    // Pages are yielded in order.
    const page = await pending.shift();
    if (page === undefined) return;
    if (!isFull(page)) {
      yield page;
      return;
    }
    for (; pending.length < PAGES_AHEAD; next += 1) {
      const pageNumber = next;
      const request = retryRead(() => read(pageNumber));
      // Reported when it is awaited; ignored after the last page.
      request.catch(() => undefined);
      pending.push(request);
    }
    yield page;
  }
}

/**
 * Returns the users who have left the site. Others were not on the pages either: a user who is removed during the read shifts those after
 * them into pages that were read already.
 */
async function findRemovedIds(missingIds: readonly number[]): Promise<number[]> {
  const presentIds = new Set<number>();
  for (const body of splitIntoChunks(missingIds, PAGE_SIZE)) {
    const { data } = await retryRead(() => getUsersByIds({ body }));
    for (const { id } of data) presentIds.add(id);
  }
  return missingIds.filter((id) => !presentIds.has(id));
}

/** Reads all groups of the site. */
const readGroups = (): Promise<GroupInfoResponse[]> =>
  readAllPages((query) => retryRead(() => listGroups({ query })));

interface PageQuery {
  pageNumber: number;
  pageSize: number;
}

/** The page that begins at or before the last item of a page and goes farthest: sizes below the maximum begin elsewhere. */
function getOverlappingPage({ pageNumber: number, pageSize: size }: PageQuery): PageQuery {
  const end = number * size;
  let next = { pageNumber: 1, pageSize: 1 };
  for (let pageSize = PAGE_SIZE; pageSize > PAGE_SIZE * MIN_SIZE_SHARE; pageSize -= 1) {
    const pageNumber = Math.ceil(end / pageSize);
    if (pageNumber * pageSize > next.pageNumber * next.pageSize) next = { pageNumber, pageSize };
  }
  return next;
}

const readLicensePage = (query: PageQuery) => searchUserLicenses({ query });

/** A page of users and the service's time of the answer. */
interface UsersPage {
  users: UserInfoResponse[];
  query: PageQuery;
  serverClock: number | undefined;
}

async function readUsersPage(query: PageQuery, modifiedSince?: string): Promise<UsersPage> {
  const { data, response } = await searchUsers({
    query: { ...query, ...(modifiedSince && { modifiedSince }) },
  });
  const serverClock = Date.parse(response.headers.get('date') ?? '');
  return { users: data, query, serverClock: Number.isNaN(serverClock) ? undefined : serverClock };
}

const isFullPage = ({ users, query }: UsersPage): boolean => users.length === query.pageSize;

/** Rows and the service's time at which they were read. */
interface RowBatch {
  rows: DirectoryRow[];
  serverClock: number | undefined;
}

/**
 * Reads all users with their licenses, page by page in the order of ids. A user who is removed meanwhile shifts those after them
 * into pages that were read already. Each page therefore begins within the former; if it does not, those before it are read again.
 */
async function* readAllUsers(): AsyncGenerator<RowBatch> {
  const licenses: Licenses = new Map();
  const usersWithoutLicense: UserInfoResponse[] = [];
  const queries: PageQuery[] = [{ pageNumber: 1, pageSize: PAGE_SIZE }];
  // Both lists are ordered by user id, so equal pages cover the same users.
  const readPage = async (query: PageQuery): Promise<UsersPage> => {
    const [page, { data }] = await Promise.all([readUsersPage(query), readLicensePage(query)]);
    recordLicenses(licenses, data);
    return page;
  };
  const read = (pageNumber: number): Promise<UsersPage> => {
    const last = queries.at(-1);
    if (last && queries.length < pageNumber) queries.push(getOverlappingPage(last));
    return readPage(queries[pageNumber - 1] ?? { pageNumber, pageSize: PAGE_SIZE });
  };
  let lastId = 0;
  for await (const page of readPages(read, isFullPage)) {
    const { serverClock } = page;
    const pages = [page.users];
    let { pageNumber } = page.query;
    while (pageNumber > 1 && (pages[0]?.[0]?.id ?? Infinity) > lastId) {
      pageNumber -= 1;
      const query = { ...page.query, pageNumber };
      // Usually one, after a removal.
      pages.unshift((await retryRead(() => readPage(query))).users);
    }
    const readUsers = pages.flat();
    const known = lastId;
    const users = readUsers.filter(({ id }) => id > known);
    lastId = users.at(-1)?.id ?? lastId;
    usersWithoutLicense.push(...users.filter(({ id }) => !licenses.has(id)));
    yield { rows: users.map((user) => toRow(user, licenses.get(user.id))), serverClock };
    for (const { id } of readUsers) licenses.delete(id);
  }
  // A user added or removed during the read shifts the pages of one list against the other.
  if (usersWithoutLicense.length > 0)
    yield { rows: await addLicenses(usersWithoutLicense, () => undefined), serverClock: undefined };
}

/**
 * Reads the users changed since a timestamp with their licenses. `findPage` returns the number of the license page that
 * contains a user.
 */
async function readChangedUsers(
  since: number,
  findPage: (userId: number) => number | undefined,
): Promise<RowBatch> {
  const modifiedSince = new Date(since).toISOString();
  const users: UserInfoResponse[] = [];
  let clock: number | undefined;
  for await (const page of readPages(
    (pageNumber) => readUsersPage({ pageNumber, pageSize: PAGE_SIZE }, modifiedSince),
    isFullPage,
  )) {
    users.push(...page.users);
    clock ??= page.serverClock;
  }
  return { rows: await addLicenses(users, findPage), serverClock: clock };
}

async function addLicenses(
  users: readonly UserInfoResponse[],
  findPage: (userId: number) => number | undefined,
): Promise<DirectoryRow[]> {
  const licenses: Licenses = new Map();
  if (users.length > MAX_SINGLE_LICENSE_READS) {
    const pageNumbers = new Set(users.map(({ id }) => findPage(id)).filter((page) => page !== undefined));
    await limitCalls.map(pageNumbers, async (pageNumber) => {
      const { data } = await retryRead(() => readLicensePage({ pageNumber, pageSize: PAGE_SIZE }));
      recordLicenses(licenses, data);
    });
  }
  const usersWithoutLicense = users.filter(({ id }) => !licenses.has(id));
  await limitCalls.map(usersWithoutLicense, async ({ id }) => {
    const license = await readLicense(id);
    if (license !== undefined) licenses.set(id, license);
  });
  return users.map((user) => toRow(user, licenses.get(user.id)));
}

async function readLicense(userId: number): Promise<number | undefined> {
  try {
    const { data } = await retryRead(() => getUserLicense({ path: { userId } }));
    return data.licenseTypeId;
  } catch (thrown) {
    // The user was removed after the list was read.
    if (toServiceError(thrown).status === 404) return undefined;
    throw thrown;
  }
}
