import type { Job, JobItem } from '../../../contract/generated/types.gen.ts';
import { listJobItems } from '../../api/generated/sdk/jobs.gen.ts';
import { readAllPages } from '../../directory/read-all-pages.ts';
import type { BulkAction, BulkRequest } from './bulk-request.ts';
import { bulkRequest } from './bulk-request.ts';

/** Number of people of an ended job who were skipped or failed, and whom a new dry run can show; 0 for other jobs. */
export const countReviewable = (job: Job): number =>
  getSwitchAction(job) !== undefined || job.kind === 'licenses.change' || job.kind === 'groups.change'
    ? job.conflicts + job.failed
    : 0;

/** Opens the dry run of a job for the people who were skipped or failed. @throws ServiceError */
export async function reviewJob(job: Job): Promise<void> {
  const [conflicts, failed] = await Promise.all([readItems(job, 'conflict'), readItems(job, 'failed')]);
  bulkRequest.set(
    buildReviewRequest(
      job,
      [...conflicts, ...failed].map(({ input }) => input),
    ),
  );
}

/** What was requested is deleted 90 days after the end (listJobItems). */
const INPUT_MS = 89 * 86_400_000;

/** Whether a new dry run can show everyone of an ended job: not the removed, and not what an undo restored. */
export const isRepeatable = (job: Job, now = Date.now()): boolean =>
  job.inverseOf === null &&
  job.finishedDate !== null &&
  now - Date.parse(job.finishedDate) < INPUT_MS &&
  ((job.kind === 'users.update' && getSwitchAction(job) !== undefined) ||
    job.kind === 'licenses.change' ||
    job.kind === 'groups.change');

/** Opens the dry run of the same change for everyone of an ended job. @throws ServiceError */
export async function repeatJob(job: Job): Promise<void> {
  const items = await readAllPages((page) => listJobItems({ path: { jobId: job.id }, query: page }));
  bulkRequest.set(
    buildReviewRequest(
      job,
      items.map(({ input }) => input),
    ),
  );
}

/** Request for the dry run of what a job was to do for these items. */
export function buildReviewRequest(
  job: Pick<Job, 'kind' | 'parameters'>,
  inputs: readonly JobItem['input'][],
): BulkRequest {
  const userIds = inputs.flatMap(({ userId }) => (typeof userId === 'number' ? [userId] : []));
  return { action: getSwitchAction(job) ?? getItemAction(job, inputs), userIds };
}

const readItems = (job: Job, state: 'conflict' | 'failed'): Promise<JobItem[]> =>
  readAllPages((page) => listJobItems({ path: { jobId: job.id }, query: { state, ...page } }));

/** Action of a job that changes all people alike. */
function getSwitchAction({ kind, parameters }: Pick<Job, 'kind' | 'parameters'>): BulkAction | undefined {
  if (kind === 'users.remove') return { kind: 'remove' };
  if (kind !== 'users.update') return undefined;
  const { isActive, twoFactorEnabled, ipRestrictionsEnabled, timeZone } = parameters;
  if (typeof isActive === 'boolean') return { kind: isActive ? 'activate' : 'deactivate' };
  if (twoFactorEnabled === true) return { kind: 'twoFactorOn' };
  if (ipRestrictionsEnabled === true) return { kind: 'addressesOn' };
  return typeof timeZone === 'string' || timeZone === null ? { kind: 'timeZone', timeZone } : undefined;
}

/** Action of a job whose items say what changes: one license for all, a license for each, or groups. */
function getItemAction({ kind }: Pick<Job, 'kind'>, inputs: readonly JobItem['input'][]): BulkAction {
  if (kind === 'licenses.change') {
    const each = inputs.flatMap(({ userId, licenseTypeId }) =>
      typeof userId === 'number' && typeof licenseTypeId === 'number' ? [{ userId, licenseTypeId }] : [],
    );
    const [first, ...others] = new Set(each.map(({ licenseTypeId }) => licenseTypeId));
    return first === undefined || others.length > 0
      ? { kind: 'licenses', each }
      : { kind: 'license', licenseTypeId: first };
  }
  const toPairs = (name: 'add' | 'remove') =>
    inputs.flatMap(({ userId, [name]: groupIds }) =>
      typeof userId === 'number' ? readNumbers(groupIds).map((groupId) => ({ userId, groupId })) : [],
    );
  return { kind: 'pairs', add: toPairs('add'), remove: toPairs('remove') };
}

const readNumbers = (values: unknown): number[] =>
  Array.isArray(values) ? values.filter((value) => typeof value === 'number') : [];
