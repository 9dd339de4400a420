import { useMemo } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';

const WORDS: Record<number, string> = {
  404: 'This user was removed from the site in the meantime. Nothing was changed.',
};

const TAKEN = 'This address belongs to somebody else on the platform.';

/** The failure of a write about a user, where the console can say better what it means. */
export function wordsFor(thrown: unknown): ServiceError {
  const { status, message, fields, requestId } = toServiceError(thrown);
  const said = fields.map((one) =>
    status === 409 && one.path === 'email' ? { ...one, message: TAKEN } : one,
  );
  return new ServiceError(status, WORDS[status] ?? message, said, requestId);
}

/** The same for a form, which takes an error once: it must be the same object as long as it is the same error. */
export const useWords = (error: ServiceError | null): ServiceError | undefined =>
  useMemo(() => (error === null ? undefined : wordsFor(error)), [error]);
