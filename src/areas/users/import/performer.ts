import { begin } from '../../import/keep.ts';
import type { Performer } from '../../import/performer.ts';
import type { Planned } from '../../import/plan.ts';
import type { Work } from './plan.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  assignGroups,
  createUser,
  getUser,
  getUserLicense,
  searchUsers,
  unassignGroups,
  updateUser,
  updateUserLicense,
} from '../../../api/generated/sdk.gen.ts';
import type { UserInfo, UserInfoResponse } from '../../../api/generated/types.gen.ts';
import { tagged } from '../../../api/tagged.ts';
import { isPassing } from '../../bulk/outcome.ts';
import type { Progress, RowResult } from '../../import/keep.ts';

/** Each person is some calls of their own (spec 4.2). */
export const peoplePerformer: Performer = {
  atOnce: 4,
  pieces: (rows) => rows.map((row) => [row]),
  async perform({ rows, progress, tell }) {
    await Promise.all(
      rows.map(async (plan) => {
        // What was planned for people holds their work.
        tell(plan.row, await perform(plan as Planned<Work>, progress.get(plan.row) ?? begin(plan)));
      }),
    );
  },
  effects: ['createUser', 'updateUser'],
};

interface Step {
  name: string;
  run: (userId: number) => Promise<unknown>;
}

/** Somebody else was there between the check and now. */
class Meanwhile extends Error {}
const MEANWHILE = 'Somebody else changed this person in the meantime';

/**
 * Makes the calls of one row, one after the other (spec 4.2), and goes on after those that `progress` has.
 * @throws ServiceError where the fault is not the row's: it can be tried again later
 */
async function perform({ work, detail: email }: Planned<Work>, progress: Progress): Promise<RowResult> {
  try {
    if (work.create && progress.id === undefined) await create(work.create, email, progress);
    for (const { name, run } of stepsOf(work)) {
      if (progress.done.includes(name)) continue;
      // oxlint-disable-next-line no-await-in-loop -- each step needs the one before
      await run(progress.id ?? 0);
      progress.done.push(name);
    }
    return { result: 'done', id: progress.id, done: progress.done };
  } catch (thrown) {
    const result = progress.done.length > 0 ? 'partly' : 'failed';
    const so = { result, id: progress.id, done: progress.done } as const;
    if (thrown instanceof Meanwhile) return { ...so, why: thrown.message };
    if (isPassing(thrown)) throw thrown;
    const { status, message, fields, requestId } = toServiceError(thrown);
    const why = [status === 412 ? MEANWHILE : message, ...fields.map((one) => one.message)];
    return { ...so, why: [...new Set(why)].join('. '), requestId };
  }
}

async function create(body: NonNullable<Work['create']>, email: string, progress: Progress): Promise<void> {
  try {
    progress.id = (await createUser({ body })).data;
  } catch (thrown) {
    const taken = thrown instanceof ServiceError && thrown.status === 409;
    const here = taken && progress.unsure ? (await searchUsers({ query: { email } })).data[0] : undefined;
    progress.unsure ||= isPassing(thrown);
    if (!here) throw thrown;
    // The call whose answer was lost had arrived.
    progress.id = here.id;
  }
  progress.done.push('Created');
}

function stepsOf({ create: isNew, update, before, licenseTypeId, licenseBefore, ...groups }: Work): Step[] {
  const { addGroups, removeGroups } = groups;
  const steps: Step[] = [];
  if (update) steps.push({ name: 'Profile', run: () => changeProfile(update, before ?? {}) });
  if (licenseTypeId !== undefined)
    steps.push({
      name: 'License',
      run: (userId) =>
        isNew
          ? updateUserLicense({ body: { userId, licenseTypeId } })
          : changeLicense(userId, licenseBefore, licenseTypeId),
    });
  if (addGroups)
    steps.push({
      name: 'Groups added',
      run: (userId) => assignGroups({ body: [{ userIds: [userId], groupIds: [...addGroups] }] }),
    });
  if (removeGroups)
    steps.push({
      name: 'Groups removed',
      run: (userId) => unassignGroups({ body: [{ userIds: [userId], groupIds: [...removeGroups] }] }),
    });
  return steps;
}

const ifMatch = (etag: string | undefined) => (etag === undefined ? {} : { 'If-Match': etag });

/** Only over what it was when it was checked: what somebody else wrote since is not overwritten (shapes 1, lost updates). */
async function changeProfile(update: UserInfo, before: Partial<UserInfo>): Promise<void> {
  const { data, etag } = tagged(await getUser({ path: { userId: update.id } }));
  if (isSo(data, update)) return;
  if (!isSo(data, before)) throw new Meanwhile(MEANWHILE);
  await updateUser({ body: update, headers: ifMatch(etag) });
}

function isSo(user: UserInfoResponse, wanted: Partial<UserInfo>): boolean {
  const now: Partial<UserInfo> = { ...user, federationId: user.federationId ?? '' };
  return (Object.keys(wanted) as (keyof UserInfo)[]).every((key) => now[key] === wanted[key]);
}

async function changeLicense(userId: number, before: number | undefined, wanted: number): Promise<void> {
  const { data, etag } = tagged(await getUserLicense({ path: { userId } }));
  if (data.licenseTypeId === wanted) return;
  if (data.licenseTypeId !== before) throw new Meanwhile(`Somebody else set the license meanwhile`);
  await updateUserLicense({ body: { userId, licenseTypeId: wanted }, headers: ifMatch(etag) });
}
