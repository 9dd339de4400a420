import type { JobItemState, JobState } from '../../../../contract/generated/types.gen.ts';
import { parseList, readSearchText } from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

export const JOB_STATES = [
  'uploading',
  'waiting',
  'running',
  'paused',
  'finished',
  'cancelled',
  'stopped',
] as const;
export const ITEM_STATES = ['failed', 'unchanged', 'done', 'conflict', 'open'] as const;

/** View of the list of jobs, kept in the URL. */
export interface JobsView {
  owner: 'own' | 'others';
  state: JobState | 'all';
  /** Ids of hidden columns, joined by hyphens. */
  hide: string;
}

export const JOBS_DEFAULTS: JobsView = { owner: 'own', state: 'all', hide: '' };

/** Ids of the columns that a view hides. */
export const parseHiddenColumns = (hide: unknown): readonly string[] =>
  parseList(hide, /^(owner|state|outcome|started|took|number)$/);

/** Parses the search parameters; invalid values fall back to the default. */
export const parseJobsView = ({ owner, state, hide }: Search): JobsView => ({
  owner: owner === 'others' ? owner : JOBS_DEFAULTS.owner,
  state: JOB_STATES.find((one) => one === state) ?? JOBS_DEFAULTS.state,
  hide: parseHiddenColumns(hide).join('-'),
});

/** View of the items of a job, kept in the URL. */
export interface JobView {
  state: JobItemState | 'all';
  /** Only items with exactly this reason; empty for all. */
  reason: string;
  q: string;
}

export const JOB_DEFAULTS: JobView = { state: 'all', reason: '', q: '' };

/** Parses the search parameters; invalid values fall back to the default. */
export const parseJobView = ({ state, reason, q }: Search): JobView => ({
  state: ITEM_STATES.find((one) => one === state) ?? JOB_DEFAULTS.state,
  reason: readSearchText(reason),
  q: readSearchText(q),
});
