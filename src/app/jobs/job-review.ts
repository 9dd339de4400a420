import { queryOptions } from '@tanstack/react-query';
import type { Job } from '../../../contract/generated/types.gen.ts';

/** Shows a new dry run for the people of an ended job who were skipped or failed. */
interface JobReview {
  /** Number of these people; 0 for jobs that have no dry run. */
  countReviewable(job: Job): number;
  /** @throws ServiceError */
  reviewJob(job: Job): Promise<void>;
  /** Whether a new dry run can show everyone of an ended job. */
  isRepeatable(job: Job): boolean;
  /** Shows a new dry run of the same change for everyone of an ended job. @throws ServiceError */
  repeatJob(job: Job): Promise<void>;
}

let loadReview: (() => Promise<JobReview>) | undefined;

/** Called by the area that has the dry runs, before the first render. */
export const registerJobReview = (load: () => Promise<JobReview>): void => {
  loadReview = load;
};

/** The code of the registered review; null without one. */
export const jobReviewQuery = queryOptions({
  queryKey: [{ _id: 'jobReview' }],
  queryFn: async () => (await loadReview?.()) ?? null,
  staleTime: Infinity,
});
