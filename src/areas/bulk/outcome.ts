import { ServiceError, toServiceError } from '../../api/errors.ts';
import { STEP_UP_REQUIRED } from '../../api/step-up.ts';

/**
 * Result for one user: `done` by this job; `already` in the target state before; `conflict`: changed by someone else
 * since the dry run and left alone; `failed`: refused by the service.
 */
export type Result = 'done' | 'already' | 'conflict' | 'failed';

export interface Outcome {
  userId: number;
  result: Result;
  why?: string | undefined;
  requestId?: string | undefined;
}

/** Results by ascending severity. */
const SEVERITY_ORDER: readonly Result[] = ['already', 'done', 'conflict', 'failed'];

/** The more severe of two outcomes of one user. */
export const getWorseOutcome = (one: Outcome | undefined, other: Outcome): Outcome =>
  one && SEVERITY_ORDER.indexOf(one.result) > SEVERITY_ORDER.indexOf(other.result) ? one : other;

/** Whether an error says nothing about the item, so that the same request may succeed later. */
export function isTransientError(thrown: unknown): boolean {
  if (!(thrown instanceof ServiceError)) return true;
  return (
    thrown.code === STEP_UP_REQUIRED ||
    thrown.status === 0 ||
    thrown.status === 401 ||
    thrown.status === 429 ||
    thrown.status >= 500
  );
}

/** Whether a refusal concerns all items alike: a missing capability, or a deleted entry type. */
export const concernsAllItems = ({ status }: ServiceError): boolean => status === 403 || status === 404;

const MISSING_REASON = 'No longer on this site';
const CONFLICT_REASON = 'Someone else changed this person in the meantime';

/** Outcome of a refused request. @throws the error itself if it is transient */
export function buildRefusalOutcome(userId: number, thrown: unknown): Outcome {
  if (isTransientError(thrown)) throw thrown;
  const { status, message, requestId } = toServiceError(thrown);
  if (status === 404) return { userId, result: 'conflict', why: MISSING_REASON, requestId };
  if (status === 412) return { userId, result: 'conflict', why: CONFLICT_REASON, requestId };
  return { userId, result: 'failed', why: message, requestId };
}

export const buildMissingOutcome = (userId: number): Outcome => ({
  userId,
  result: 'conflict',
  why: MISSING_REASON,
});
export const buildConflictOutcome = (userId: number, why = CONFLICT_REASON): Outcome => ({
  userId,
  result: 'conflict',
  why,
});
