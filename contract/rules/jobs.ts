/** Reasons of failed and skipped items that the service lists for a job, the most frequent ones. */
export const MAX_JOB_REASONS = 100;
