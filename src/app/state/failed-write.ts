import { toServiceError, UnknownOutcomeError } from '../../api/errors.ts';
import { toast } from '../../ui/toast.ts';

/** Title of a write that failed ("The change", "started"). It agrees with a message by which the write may have taken effect. */
export const formatFailedWrite = (subject: string, done: string, thrown: unknown): string =>
  `${subject} ${thrown instanceof UnknownOutcomeError ? 'may have been' : 'was not'} ${done}`;

/** Shows that a write failed, and why. */
export function toastFailedWrite(
  subject: string,
  done: string,
  thrown: unknown,
  description = toServiceError(thrown).message,
): void {
  toast({ title: formatFailedWrite(subject, done, thrown), description, tone: 'bad' });
}
