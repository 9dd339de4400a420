import type { Job } from '../../../../contract/generated/types.gen.ts';

/** Shows a new dry run for the people of an ended job who were left alone or failed. */
interface JobReview {
  /** Number of these people; 0 for jobs that have no dry run. */
  count(job: Job): number;
  /** @throws ServiceError */
  open(job: Job): Promise<void>;
}

let review: JobReview = { count: () => 0, open: () => Promise.resolve() };

/** Called by the area that has the dry runs, before the first render. */
export const registerJobReview = (registered: JobReview): void => {
  review = registered;
};

/** The registered review; without one, no job can be reviewed again. */
export const getJobReview = (): JobReview => review;
