import type { UserInfo, UserInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { withEtag } from '../../../api/etag.ts';
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
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { isTransientError } from '../../bulk/index.ts';
import { createProgress } from '../../import/index.ts';
import type { ImportExecutor, RowProgress, RowResult } from '../../import/index.ts';
import type { RowWork } from './plan.ts';

/** Each user needs several requests (spec 4.2). */
export const peopleExecutor: ImportExecutor = {
  concurrency: 4,
  splitIntoBatches: (rows) => rows.map((row) => [row]),
  async execute({ rows, progress, report }) {
    await Promise.all(
      rows.map(async (plan) => {
        // Rows planned for users hold their work.
        report(
          plan.row,
          await perform(plan as ImportRowPlan<RowWork>, progress.get(plan.row) ?? createProgress(plan)),
        );
      }),
    );
  },
  operations: ['createUser', 'updateUser'],
};

interface Step {
  name: string;
  run: (userId: number) => Promise<unknown>;
}

/** The user changed between the check and the write. */
class ConflictError extends Error {}
const CONFLICT_REASON = 'Someone else changed this person in the meantime';

/**
 * Makes the requests of a row one after another (spec 4.2), skipping those in `progress`. @throws ServiceError if the
 * error does not concern the row, so that it can be tried again
 */
async function perform(
  { work, detail: email }: ImportRowPlan<RowWork>,
  progress: RowProgress,
): Promise<RowResult> {
  try {
    if (work.create && progress.id === undefined) await create(work.create, email, progress);
    for (const { name, run } of getSteps(work)) {
      if (progress.done.includes(name)) continue;
      // Each step needs the one before.
      await run(progress.id ?? 0);
      progress.done.push(name);
    }
    return { result: 'done', id: progress.id, done: progress.done };
  } catch (thrown) {
    const result = progress.done.length > 0 ? 'partly' : 'failed';
    const partialResult = { result, id: progress.id, done: progress.done } as const;
    if (thrown instanceof ConflictError) return { ...partialResult, why: thrown.message };
    if (isTransientError(thrown)) throw thrown;
    const { status, message, fields, requestId } = toServiceError(thrown);
    const why = [status === 412 ? CONFLICT_REASON : message, ...fields.map((one) => one.message)];
    return { ...partialResult, why: [...new Set(why)].join('. '), requestId };
  }
}

async function create(
  body: NonNullable<RowWork['create']>,
  email: string,
  progress: RowProgress,
): Promise<void> {
  try {
    progress.id = (await createUser({ body })).data;
  } catch (thrown) {
    const taken = thrown instanceof ServiceError && thrown.status === 409;
    const existingUser =
      taken && progress.isUncertain ? (await searchUsers({ query: { email } })).data[0] : undefined;
    progress.isUncertain ||= isTransientError(thrown);
    if (!existingUser) throw thrown;
    // The unanswered request was stored.
    progress.id = existingUser.id;
  }
  progress.done.push('Created');
}

function getSteps({
  create: isNew,
  update,
  before,
  licenseTypeId,
  licenseBefore,
  ...groups
}: RowWork): Step[] {
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

/** Updates only if the fields still hold their values of the check (shapes 1, lost updates). */
async function changeProfile(update: UserInfo, before: Partial<UserInfo>): Promise<void> {
  const { data, etag } = withEtag(await getUser({ path: { userId: update.id } }));
  if (hasValues(data, update)) return;
  if (!hasValues(data, before)) throw new ConflictError(CONFLICT_REASON);
  await updateUser({ body: update, headers: ifMatch(etag) });
}

function hasValues(user: UserInfoResponse, expected: Partial<UserInfo>): boolean {
  const now: Partial<UserInfo> = { ...user, federationId: user.federationId ?? '' };
  return (Object.keys(expected) as (keyof UserInfo)[]).every((key) => now[key] === expected[key]);
}

async function changeLicense(userId: number, before: number | undefined, expected: number): Promise<void> {
  const { data, etag } = withEtag(await getUserLicense({ path: { userId } }));
  if (data.licenseTypeId === expected) return;
  if (data.licenseTypeId !== before)
    throw new ConflictError(`Someone else changed the license in the meantime`);
  await updateUserLicense({ body: { userId, licenseTypeId: expected }, headers: ifMatch(etag) });
}
