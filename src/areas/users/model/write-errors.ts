import { useMemo } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';

const MESSAGE_BY_STATUS: Record<number, string> = {
  404: 'This user was removed from the site in the meantime. Nothing was changed.',
};

const ADDRESS_TAKEN = 'This address belongs to another user on the platform.';

/** Error of a write on a user, with clearer messages where the console knows more. */
export function toUserWriteError(thrown: unknown): ServiceError {
  const { status, message, fields, requestId } = toServiceError(thrown);
  const fieldErrors = fields.map((one) =>
    status === 409 && one.path === 'email' ? { ...one, message: ADDRESS_TAKEN } : one,
  );
  return new ServiceError(status, MESSAGE_BY_STATUS[status] ?? message, fieldErrors, requestId);
}

/** The same for a form, memoized because a form shows each error object once. */
export const useUserWriteError = (error: ServiceError | null): ServiceError | undefined =>
  useMemo(() => (error === null ? undefined : toUserWriteError(error)), [error]);
