import pLimit from 'p-limit';
import type { GroupInfoResponse, UserInfoResponse } from '../../contract/generated/types.gen.ts';
import { toServiceError } from '../api/errors.ts';
import { getUserLicense, listGroups, searchUserLicenses, searchUsers } from '../api/generated/sdk.gen.ts';
import { recordLicenses, toRow } from './engine/row.ts';
import type { DirectoryRow, Licenses } from './engine/row.ts';
import { readAllPages, PAGE_SIZE } from './read-all-pages.ts';

// Each page needs two calls, so four run at once. A browser sends six, which leaves two for other queries.
const PAGES_AHEAD = 2;
const MAX_CONCURRENT_CALLS = 4;
// Up to this many licenses are read one by one instead of by page.
const MAX_SINGLE_LICENSE_READS = 20;
const RETRY_DELAYS_MS = [500, 2000];

const limitCalls = pLimit(MAX_CONCURRENT_CALLS);

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Retries a read without an answer or with 429 or 5xx, so that reading many pages need not start again. */
async function retryRead<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      // Attempts are sequential.
      return await read();
    } catch (thrown) {
      const { status } = toServiceError(thrown);
      if (status !== 0 && status !== 429 && (status < 500 || status === 501)) throw thrown;
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

/** Reads all groups of the site. */
export const readGroups = (): Promise<GroupInfoResponse[]> =>
  readAllPages((query) => retryRead(() => listGroups({ query })));

const readLicensePage = (pageNumber: number) =>
  searchUserLicenses({ query: { pageNumber, pageSize: PAGE_SIZE } });

/** A page of users and the service's time of the answer. */
interface UsersPage {
  users: UserInfoResponse[];
  serverClock: number | undefined;
}

async function readUsersPage(pageNumber: number, modifiedSince?: string): Promise<UsersPage> {
  const { data, response } = await searchUsers({
    query: { pageNumber, pageSize: PAGE_SIZE, ...(modifiedSince && { modifiedSince }) },
  });
  const serverClock = Date.parse(response.headers.get('date') ?? '');
  return { users: data, serverClock: Number.isNaN(serverClock) ? undefined : serverClock };
}

const isFullPage = ({ users }: UsersPage): boolean => users.length === PAGE_SIZE;

/** Rows and the service's time at which they were read. */
export interface RowBatch {
  rows: DirectoryRow[];
  serverClock: number | undefined;
}

/** Reads all users with their licenses, page by page in the order of ids. */
export async function* readAllUsers(): AsyncGenerator<RowBatch> {
  const licenses: Licenses = new Map();
  const usersWithoutLicense: UserInfoResponse[] = [];
  // Both lists are ordered by user id, so pages with the same number cover the same users.
  const read = async (pageNumber: number): Promise<UsersPage> => {
    const [page, { data }] = await Promise.all([readUsersPage(pageNumber), readLicensePage(pageNumber)]);
    recordLicenses(licenses, data);
    return page;
  };
  for await (const { users, serverClock } of readPages(read, isFullPage)) {
    usersWithoutLicense.push(...users.filter(({ id }) => !licenses.has(id)));
    yield { rows: users.map((user) => toRow(user, licenses.get(user.id))), serverClock };
    for (const { id } of users) licenses.delete(id);
  }
  // A user added or removed during the read shifts the pages of one list against the other.
  if (usersWithoutLicense.length > 0)
    yield { rows: await addLicenses(usersWithoutLicense, () => undefined), serverClock: undefined };
}

/**
 * Reads the users changed since a timestamp with their licenses. `findPage` returns the number of the license page that
 * contains a user.
 */
export async function readChangedUsers(
  since: number,
  findPage: (userId: number) => number | undefined,
): Promise<RowBatch> {
  const modifiedSince = new Date(since).toISOString();
  const users: UserInfoResponse[] = [];
  let clock: number | undefined;
  for await (const page of readPages((pageNumber) => readUsersPage(pageNumber, modifiedSince), isFullPage)) {
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
      const { data } = await retryRead(() => readLicensePage(pageNumber));
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
