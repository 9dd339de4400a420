import { ServiceError } from '../../api/errors.ts';
import { STEP_UP_REQUIRED } from '../../api/step-up.ts';

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
