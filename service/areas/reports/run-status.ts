import type { ReportStatus } from '../../../contract/generated/types.gen.ts';
import type { JobState } from '../../kernel/db/tables/jobs.ts';

const STATES: Readonly<Record<ReportStatus, readonly JobState[]>> = {
  Queued: ['uploading', 'waiting', 'paused'],
  Running: ['running'],
  Ready: ['finished'],
  Failed: ['stopped', 'cancelled'],
};

/** States of the jobs of reports with a status. */
export const toJobStates = (status: ReportStatus): readonly JobState[] => STATES[status];

/** Status of a report by the state of its job. */
export function toStatus(state: string): ReportStatus {
  if (STATES.Running.some((each) => each === state)) return 'Running';
  if (STATES.Ready.some((each) => each === state)) return 'Ready';
  return STATES.Failed.some((each) => each === state) ? 'Failed' : 'Queued';
}

/** Whether a report with this state of its job has not ended. */
export const isOpen = (state: string): boolean => ['Queued', 'Running'].includes(toStatus(state));
