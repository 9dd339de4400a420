import { useMemo } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';

/** The failure of a write about a group, where the console can say better what it means. */
export function wordsFor(thrown: unknown): ServiceError {
  const { status, message, fields, requestId } = toServiceError(thrown);
  const said = fields.map((one) =>
    status === 409 && one.path === 'name' ? { ...one, message: 'Another group has this name.' } : one,
  );
  const better = status === 404 ? 'This group was deleted in the meantime. Nothing was changed.' : message;
  return new ServiceError(status, better, said, requestId);
}

/** The same for a form, which takes an error once: it must be the same object as long as it is the same error. */
export const useWords = (error: ServiceError | null): ServiceError | undefined =>
  useMemo(() => (error === null ? undefined : wordsFor(error)), [error]);
