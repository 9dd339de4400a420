import type { ActingStep } from '../../generated/types.gen.ts';

/** Outcome of a request as text. A status of null means that the request was never answered. */
export function formatOutcome({ status }: Pick<ActingStep, 'status'>): { text: string; isFailure: boolean } {
  if (status === null) return { text: 'Unknown: the request was interrupted', isFailure: true };
  if (status < 400) return { text: 'Done', isFailure: false };
  if (status === 401 || status === 403) return { text: `Refused (${status})`, isFailure: true };
  return { text: `Failed (${status})`, isFailure: true };
}
