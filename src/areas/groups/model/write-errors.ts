import { useMemo } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';

/** Error of a write on a group, with clearer messages where the console knows more. */
export function toGroupWriteError(thrown: unknown): ServiceError {
  const { status, message, fields, requestId } = toServiceError(thrown);
  const fieldErrors = fields.map((one) =>
    status === 409 && one.path === 'name' ? { ...one, message: 'Another group has this name.' } : one,
  );
  const better = status === 404 ? 'This group was deleted in the meantime. Nothing was changed.' : message;
  return new ServiceError(status, better, fieldErrors, requestId);
}

/** The same for a form, memoized because a form shows each error object once. */
export const useGroupWriteError = (error: ServiceError | null): ServiceError | undefined =>
  useMemo(() => (error === null ? undefined : toGroupWriteError(error)), [error]);
