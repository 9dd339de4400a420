/** Error of a call as shown to the user; `ServiceError` without its transport properties. */
export interface Failure {
  message: string;
  requestId?: string | undefined;
  fields?: readonly { path: string; message: string }[] | undefined;
}

/** Converts a thrown value to a failure. */
export function toFailure(error: unknown): Failure {
  if (typeof error !== 'object' || error === null || !('message' in error)) {
    return { message: 'The action failed for an unknown reason.' };
  }
  const requestId = 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : undefined;
  const fields = 'fields' in error && Array.isArray(error.fields) ? error.fields.filter(isFieldError) : [];
  return { message: String(error.message), requestId, ...(fields.length > 0 && { fields }) };
}

const isFieldError = (value: unknown): value is { path: string; message: string } =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  'message' in value &&
  typeof value.message === 'string';
