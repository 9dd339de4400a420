import { toServiceError } from '../../api/errors.ts';
import { getUserLicense, getUsersByIds, searchUserLicenses } from '../../api/generated/sdk.gen.ts';
import type { UserInfoResponse } from '../../api/generated/types.gen.ts';
import { PAGE, everyPage } from '../../directory/pages.ts';
import { createRun } from '../../lib/run.ts';
import { chunks } from './calls.ts';
import { toPerson } from './person.ts';
import type { Person } from './person.ts';

const AT_ONCE = 4;

/** Does the same for each, some at a time; the first failure ends it. */
export async function forEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const run = createRun(items, {
    atOnce: AT_ONCE,
    async act(item) {
      try {
        await act(item);
      } catch (thrown) {
        run.stop();
        throw thrown;
      }
    },
    onStep: () => undefined,
  });
  await run.go();
  const failed = run.outcomes().find(({ error }) => error !== undefined);
  if (failed) throw failed.error;
}

interface ReadOptions {
  /** Whether the plan is about licenses or seats. */
  licenses: boolean;
  /** How many people the site has, as far as known: it decides how licenses are read. */
  size: number;
  signal: AbortSignal;
  onRead?: (people: number) => void;
}

/** Reads these people as they are now, in the order asked; who is no longer on the site is left out. */
export async function readPeople(ids: readonly number[], options: ReadOptions): Promise<Person[]> {
  const { licenses, size, signal, onRead } = options;
  const users = new Map<number, UserInfoResponse>();
  let read = 0;
  await forEach(chunks(ids, PAGE), async (body) => {
    const { data } = await getUsersByIds({ body, signal });
    for (const user of data) users.set(user.id, user);
    read += body.length;
    onRead?.(read);
  });
  const known = licenses ? await readLicenses([...users.keys()], size, signal) : undefined;
  return ids.flatMap((id) => {
    const user = users.get(id);
    return user ? [toPerson(user, known?.get(id))] : [];
  });
}

/** Licenses are told one by one or by pages of everybody's: whichever asks for less. */
async function readLicenses(ids: readonly number[], size: number, signal: AbortSignal) {
  const licenses = new Map<number, number>();
  if (ids.length <= Math.ceil(size / PAGE)) {
    await forEach(ids, async (userId) => {
      try {
        const { data } = await getUserLicense({ path: { userId }, signal });
        licenses.set(userId, data.licenseTypeId);
      } catch (thrown) {
        if (toServiceError(thrown).status !== 404) throw thrown;
      }
    });
    return licenses;
  }
  const all = await everyPage((query) => searchUserLicenses({ query, signal }));
  for (const { userId, licenseTypeId } of all) licenses.set(userId, licenseTypeId);
  return licenses;
}
