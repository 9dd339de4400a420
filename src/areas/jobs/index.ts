import type { Job } from '../../../contract/generated/types.gen.ts';

export { showStartedExport, showStartedJob } from './show-started.ts';
export { SaveJobFileButton } from './JobFile.tsx';
export { JobRow } from './JobRow.tsx';
export { StartField } from './schedule/StartField.tsx';
export { getScheduleProblem, NOW, toStartOptions } from './schedule/schedule.ts';
export type { Schedule } from './schedule/schedule.ts';
export { jobListQuery } from './model/jobs.ts';
export { STATE_LABELS } from './model/format.ts';
export { countExportedFields, getExportedList, getExportedType } from './model/request-facts.ts';

/** Kinds of jobs that make a file of rows. */
export const EXPORT_KINDS: Job['kind'][] = [
  'entries.export',
  'users.export',
  'activity.export',
  'proxies.export',
];
