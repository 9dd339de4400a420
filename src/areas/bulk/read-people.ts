import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { getUserLicense, searchUserLicenses } from '../../api/generated/sdk/licenses.gen.ts';
import { getUsersByIds } from '../../api/generated/sdk/users.gen.ts';
import { PAGE_SIZE, readAllPages } from '../../directory/read-all-pages.ts';
import { createBatchRun } from '../../lib/batch-run.ts';
import { splitIntoChunks } from '../../lib/chunks.ts';
import { toPerson } from './person.ts';
import type { Person } from './person.ts';

const CONCURRENCY = 4;

/** Runs `act` for each item, several at a time; the first failure stops it. @throws the first error */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  action: (item: Item) => Promise<unknown>,
): Promise<void> {
  const run = createBatchRun(items, {
    concurrency: CONCURRENCY,
    async action(item) {
      try {
        await action(item);
      } catch (thrown) {
        run.stop();
        throw thrown;
      }
    },
    onStep: () => undefined,
  });
  await run.run();
  const failed = run.getOutcomes().find(({ error }) => error !== undefined);
  if (failed) throw failed.error;
}

interface ReadOptions {
  /** Whether the plan needs licenses. */
  withLicenses: boolean;
  /** Number of users of the site, if known; decides how licenses are read. */
  siteUserCount: number;
  signal: AbortSignal;
  onRead?: (people: number) => void;
}

/** Reads these people in the order of `ids`; people no longer on the site are left out. */
export async function readPeople(ids: readonly number[], options: ReadOptions): Promise<Person[]> {
  const { withLicenses, siteUserCount, signal, onRead } = options;
  const users = new Map<number, UserInfoResponse>();
  let read = 0;
  await forEachConcurrently(splitIntoChunks(ids, PAGE_SIZE), async (body) => {
    const { data } = await getUsersByIds({ body, signal });
    for (const user of data) users.set(user.id, user);
    read += body.length;
    onRead?.(read);
  });
  const licenseByUserId = withLicenses
    ? await readLicenses([...users.keys()], siteUserCount, signal)
    : undefined;
  return ids.flatMap((id) => {
    const user = users.get(id);
    return user ? [toPerson(user, licenseByUserId?.get(id))] : [];
  });
}

/** Reads licenses one by one or page by page, whichever needs fewer requests. */
async function readLicenses(ids: readonly number[], siteUserCount: number, signal: AbortSignal) {
  const licenses = new Map<number, number>();
  if (ids.length <= Math.ceil(siteUserCount / PAGE_SIZE)) {
    await forEachConcurrently(ids, async (userId) => {
      try {
        const { data } = await getUserLicense({ path: { userId }, signal });
        licenses.set(userId, data.licenseTypeId);
      } catch (thrown) {
        if (toServiceError(thrown).status !== 404) throw thrown;
      }
    });
    return licenses;
  }
  const all = await readAllPages((query) => searchUserLicenses({ query, signal }));
  for (const { userId, licenseTypeId } of all) licenses.set(userId, licenseTypeId);
  return licenses;
}
