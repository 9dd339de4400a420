import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  cancelJobMutation,
  pauseJobMutation,
  resumeJobMutation,
  retryJobMutation,
  undoJobMutation,
} from '../../../api/generated/queries/jobs.gen.ts';
import { formatMissingCapabilities, usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { jobReviewQuery } from '../../../app/jobs/job-review.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/toast.ts';
import { showStartedJob } from '../show-started.ts';
import { JOB_KINDS } from './job-kinds.ts';
import { cacheJob } from './jobs.ts';
import { getProcessed, hasEnded, isPending } from './progress.ts';

/** Counts items with their noun: "1 person", "1,204 people". */
export const countItems = ({ kind }: Pick<Job, 'kind'>, count: number): string =>
  pluralize(count, ...JOB_KINDS[kind].nouns);

/** What the undo of a job does, in words. */
export function describeUndo(job: Job): string {
  const items = countItems(job, job.done);
  const [one] = JOB_KINDS[job.kind].nouns;
  return `${describeRestored(job, items)} ${one === 'person' ? 'Anyone' : 'Anything'} changed by someone else since then is skipped and listed.`;
}

function describeRestored({ kind, parameters: { isActive } }: Job, items: string): string {
  if (kind === 'entries.delete') return `Restores ${items}. References to them stay removed.`;
  if (kind === 'entries.import') return 'Deletes the entries it created and restores the values it changed.';
  if (kind === 'users.import') return 'Removes the people it created and restores the values it changed.';
  if (kind === 'invitations.create') return 'Revokes the invitations that nobody has accepted.';
  if (kind === 'licenses.change') return `Gives ${items} the license they had.`;
  if (kind === 'groups.change') return `Restores the groups of ${items}.`;
  if (kind === 'users.update' && typeof isActive === 'boolean')
    return `${isActive ? 'Deactivates' : 'Activates'} ${items} again.`;
  return `Restores what this job replaced for ${items}.`;
}

const showReadError = (thrown: unknown) =>
  toast({
    tone: 'bad',
    title: 'The people could not be read',
    description: toServiceError(thrown).message,
  });

/** Consequence of cancelling a job, in words. A running job changes more while the question is read. */
export function describeCancel(job: Job): string {
  if (job.kind === 'backup') return 'The data written so far is discarded.';
  const rest = job.total - getProcessed(job);
  if (rest < job.total)
    return `${countItems(job, job.done)} changed so far stay changed; ${formatNumber(rest)} of ${formatNumber(job.total)} will not be attempted.`;
  return job.state === 'running'
    ? 'What it changes until it stops stays changed; the rest will not be attempted.'
    : 'Nothing has been changed yet.';
}

/** Actions for a job with the reasons why they are not possible; those that do not apply to its state are undefined. */
export function useJobActions(job: Job) {
  const client = useQueryClient();
  const { data: review } = useQuery(jobReviewQuery);
  const { user, capabilities } = useSession();
  const { reason: closed } = usePermission('pauseJob');
  const pause = useWrite('pauseJob', pauseJobMutation());
  const resume = useWrite('resumeJob', resumeJobMutation());
  const cancel = useWrite('cancelJob', cancelJobMutation());
  const retry = useWrite('retryJob', retryJobMutation());
  const undo = useWrite('undoJob', undoJobMutation());
  const isOwn = job.ownerId === user.id;
  const foreignReason =
    isOwn || capabilities.includes('Manage Settings')
      ? undefined
      : formatMissingCapabilities(['Manage Settings']);
  const path = { jobId: job.id };
  const isOpen = !hasEnded(job);
  const callbacks = {
    onSuccess: (next: Job) => {
      if (isOwn) cacheJob(client, next);
    },
    onError: (thrown: unknown) => toastFailedWrite(`The job “${job.title}”`, 'changed', thrown),
  };

  const confirmCancel = () =>
    confirm({
      title: 'Cancel this job?',
      body: (
        <p>
          {endSentence(job.title)} {describeCancel(job)} A cancelled job cannot be resumed.
        </p>
      ),
      action: 'Cancel job',
      cancel: isPending(job) ? 'Keep it' : 'Keep running',
      danger: true,
      run: async () => callbacks.onSuccess(await cancel.mutateAsync({ path })),
    });
  const confirmUndo = () =>
    confirm({
      title: `Undo for ${countItems(job, job.done)}?`,
      body: (
        <p>
          {endSentence(job.title)} {describeUndo(job)} The undo is a job of its own
          {job.undoUntil !== null && ` and can be started until ${formatMoment(job.undoUntil)}`}.
        </p>
      ),
      action: 'Undo',
      run: async () => showStartedJob(client, await undo.mutateAsync({ path })),
    });
  const startRetry = () =>
    retry.mutateAsync({ path }).then((next) => showStartedJob(client, next), callbacks.onError);

  const repeatable = !isOpen && review?.isRepeatable(job) === true ? review : undefined;
  const reviewable = review && !isOpen ? review.countReviewable(job) : 0;
  return {
    isOwn,
    review:
      reviewable > 0
        ? {
            count: reviewable,
            run: () => void review?.reviewJob(job).catch(showReadError),
          }
        : undefined,
    pause:
      job.state === 'waiting' || job.state === 'running'
        ? {
            pending: pause.isPending,
            disabledReason: closed ?? foreignReason,
            run: () => void pause.mutateAsync({ path }).then(callbacks.onSuccess, callbacks.onError),
          }
        : undefined,
    resume:
      job.state === 'paused'
        ? {
            pending: resume.isPending,
            disabledReason:
              closed ??
              (isOwn
                ? undefined
                : job.ownerId === null
                  ? foreignReason
                  : 'Only the person who started this job can resume it'),
            run: () => void resume.mutateAsync({ path }).then(callbacks.onSuccess, callbacks.onError),
          }
        : undefined,
    cancel: isOpen
      ? {
          pending: cancel.isPending,
          disabledReason: closed ?? foreignReason,
          run: () => void confirmCancel(),
        }
      : undefined,
    retry:
      !isOpen && job.failed > 0
        ? { pending: retry.isPending, disabledReason: closed, run: () => void startRetry() }
        : undefined,
    /** The same again: a new dry run, or a new file. */
    repeat:
      !isOpen && isOwn && job.kind === 'entries.export'
        ? { pending: retry.isPending, disabledReason: closed, run: () => void startRetry() }
        : repeatable && {
            pending: false,
            disabledReason: closed,
            run: () => void repeatable.repeatJob(job).catch(showReadError),
          },
    undo: { pending: undo.isPending, disabledReason: closed, run: () => void confirmUndo() },
  };
}
