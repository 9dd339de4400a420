import { toServiceError } from '../api/errors.ts';
import { getUserLicense, listGroups, searchUserLicenses, searchUsers } from '../api/generated/sdk.gen.ts';
import type { GroupInfoResponse, UserInfoResponse } from '../api/generated/types.gen.ts';
import { everyPage, PAGE } from './pages.ts';
import { noteLicenses, toRow } from './row.ts';
import type { DirectoryRow, Licenses } from './row.ts';

// With the users and the licenses of each page that is four calls at a time; a browser sends six, and others want to
// be heard meanwhile.
const PAGES_AHEAD = 2;
const AT_ONCE = 4;
// Up to so many people are asked for their license one by one.
const FEW = 20;
const PAUSES = [500, 2000];

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks again where no answer came or the service is in trouble: a reading of many pages does not begin anew. */
async function insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const wait of PAUSES) {
    try {
      // One try after the other.
      // oxlint-disable-next-line no-await-in-loop
      return await ask();
    } catch (thrown) {
      const { status } = toServiceError(thrown);
      if (status !== 0 && status !== 429 && (status < 500 || status === 501)) throw thrown;
      // oxlint-disable-next-line no-await-in-loop
      await pause(wait);
    }
  }
  return ask();
}

/**
 * Pages in order until one is not full: lists carry no totals (shapes 1). Once the first was full, some are asked for
 * ahead of the one that is waited for.
 */
async function* pages<Page>(
  read: (pageNumber: number) => Promise<Page>,
  isFull: (page: Page) => boolean,
): AsyncGenerator<Page> {
  const ahead: Promise<Page>[] = [insist(() => read(1))];
  for (let next = 2; ;) {
    // oxlint-disable-next-line no-await-in-loop
    const page = await ahead.shift();
    if (page === undefined) return;
    if (!isFull(page)) {
      yield page;
      return;
    }
    for (; ahead.length < PAGES_AHEAD; next += 1) {
      const pageNumber = next;
      const asked = insist(() => read(pageNumber));
      // It is reported where its turn comes, and passed over behind the last page.
      asked.catch(() => undefined);
      ahead.push(asked);
    }
    yield page;
  }
}

/** The groups of the site. */
export const readGroups = (): Promise<GroupInfoResponse[]> =>
  everyPage((query) => insist(() => listGroups({ query })));

const licensePage = (pageNumber: number) => searchUserLicenses({ query: { pageNumber, pageSize: PAGE } });

/** What a page of users says, and the time by the service's clock. */
interface UsersPage {
  users: UserInfoResponse[];
  clock: number | undefined;
}

async function usersPage(pageNumber: number, modifiedSince?: string): Promise<UsersPage> {
  const { data, response } = await searchUsers({
    query: { pageNumber, pageSize: PAGE, ...(modifiedSince && { modifiedSince }) },
  });
  const clock = Date.parse(response.headers.get('date') ?? '');
  return { users: data, clock: Number.isNaN(clock) ? undefined : clock };
}

const isFullOfUsers = ({ users }: UsersPage): boolean => users.length === PAGE;

/** Some rows, and when they were read by the service's clock. */
export interface Part {
  rows: DirectoryRow[];
  clock: number | undefined;
}

/** Everybody with their licenses, by pages in the order of ids. */
export async function* readEverybody(): AsyncGenerator<Part> {
  const licenses: Licenses = new Map();
  const without: UserInfoResponse[] = [];
  // Both lists are ordered by user id: their pages tell about the same people.
  const read = async (pageNumber: number): Promise<UsersPage> => {
    const [page, { data }] = await Promise.all([usersPage(pageNumber), licensePage(pageNumber)]);
    noteLicenses(licenses, data);
    return page;
  };
  for await (const { users, clock } of pages(read, isFullOfUsers)) {
    without.push(...users.filter(({ id }) => !licenses.has(id)));
    yield { rows: users.map((user) => toRow(user, licenses.get(user.id))), clock };
    for (const { id } of users) licenses.delete(id);
  }
  // Somebody came or went while the pages were read, and shifted one list against the other.
  if (without.length > 0) yield { rows: await withLicenses(without, () => undefined), clock: undefined };
}

/**
 * Whoever was changed since this moment, with their licenses. `pageOf` says on which page of the licenses somebody
 * was when everybody was read.
 */
export async function readChanged(
  since: number,
  pageOf: (userId: number) => number | undefined,
): Promise<Part> {
  const modifiedSince = new Date(since).toISOString();
  const users: UserInfoResponse[] = [];
  let clock: number | undefined;
  for await (const page of pages((pageNumber) => usersPage(pageNumber, modifiedSince), isFullOfUsers)) {
    users.push(...page.users);
    clock ??= page.clock;
  }
  return { rows: await withLicenses(users, pageOf), clock };
}

async function withLicenses(
  users: readonly UserInfoResponse[],
  pageOf: (userId: number) => number | undefined,
): Promise<DirectoryRow[]> {
  const licenses: Licenses = new Map();
  if (users.length > FEW) {
    const wanted = new Set(users.map(({ id }) => pageOf(id)).filter((page) => page !== undefined));
    await eachOf(wanted, async (pageNumber) => {
      const { data } = await insist(() => licensePage(pageNumber));
      noteLicenses(licenses, data);
    });
  }
  const left = users.filter(({ id }) => !licenses.has(id));
  await eachOf(left, async ({ id }) => {
    const license = await licenseOf(id);
    if (license !== undefined) licenses.set(id, license);
  });
  return users.map((user) => toRow(user, licenses.get(user.id)));
}

async function licenseOf(userId: number): Promise<number | undefined> {
  try {
    const { data } = await insist(() => getUserLicense({ path: { userId } }));
    return data.licenseTypeId;
  } catch (thrown) {
    // Removed since the list was read.
    if (toServiceError(thrown).status === 404) return undefined;
    throw thrown;
  }
}

/** Some at a time until all are done. */
async function eachOf<Item>(items: Iterable<Item>, act: (item: Item) => Promise<void>): Promise<void> {
  const queue = Iterator.from(items);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      // Each takes its next when it is done with the one before.
      // oxlint-disable-next-line no-await-in-loop
      for (const item of queue) await act(item);
    }),
  );
}
