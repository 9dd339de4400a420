import type { Job } from '../../../../contract/generated/types.gen.ts';

/** Link to the page of a job, for a message. */
export const getJobLink = ({ id }: Job) => ({ label: 'Open job', path: `/jobs/${id}` });

/** Key by which the message about the end of a job replaces the one about its start. */
export const getJobToastKey = ({ id }: Job): string => `job-${id}`;
