import { ServiceError, toServiceError } from '../../api/errors.ts';
import { STEP_UP_REQUIRED } from '../../api/step-up.ts';

/**
 * What came of one person: `done` by this job, `already` so before it came to them, `conflict`: somebody else has
 * changed them since the dry run and they were left alone, `failed`: the service refused.
 */
export type Result = 'done' | 'already' | 'conflict' | 'failed';

export interface Outcome {
  userId: number;
  result: Result;
  why?: string | undefined;
  requestId?: string | undefined;
}

/** From the least to the most that has to be told. */
const ORDER: readonly Result[] = ['already', 'done', 'conflict', 'failed'];

/** Where several calls are about one person, the one that has most to tell. */
export const worse = (one: Outcome | undefined, other: Outcome): Outcome =>
  one && ORDER.indexOf(one.result) > ORDER.indexOf(other.result) ? one : other;

/** Whether a fault says nothing about the person: the same call may succeed later, so the job waits for that. */
export function isPassing(thrown: unknown): boolean {
  if (!(thrown instanceof ServiceError)) return true;
  return (
    thrown.code === STEP_UP_REQUIRED ||
    thrown.status === 0 ||
    thrown.status === 401 ||
    thrown.status === 429 ||
    thrown.status >= 500
  );
}

/** Whether a refusal is of all alike, whichever are sent: a capability is missing, or the type of the entries is gone. */
export const isOfAll = ({ status }: ServiceError): boolean => status === 403 || status === 404;

const GONE = 'No longer on this site';
const MEANWHILE = 'Somebody else changed this person in the meantime';

/** What a refusal means for the person; passing faults are thrown on. */
export function refusalOf(userId: number, thrown: unknown): Outcome {
  if (isPassing(thrown)) throw thrown;
  const { status, message, requestId } = toServiceError(thrown);
  if (status === 404) return { userId, result: 'conflict', why: GONE, requestId };
  if (status === 412) return { userId, result: 'conflict', why: MEANWHILE, requestId };
  return { userId, result: 'failed', why: message, requestId };
}

export const gone = (userId: number): Outcome => ({ userId, result: 'conflict', why: GONE });
export const meanwhile = (userId: number, why = MEANWHILE): Outcome => ({ userId, result: 'conflict', why });
