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
  return { message: String(error.message), requestId };
}
