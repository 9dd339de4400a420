/** What a failed request tells a person; the shape of the API's errors without the transport. */
export interface Failure {
  message: string;
  requestId?: string | undefined;
  fields?: readonly { path: string; message: string }[] | undefined;
}

/** Reads a thrown value as a failure; what has no words of its own gets plain ones. */
export function failureOf(thrown: unknown): Failure {
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) {
    return { message: 'It did not work, and the reason is not known.' };
  }
  const requestId =
    'requestId' in thrown && typeof thrown.requestId === 'string' ? thrown.requestId : undefined;
  return { message: String(thrown.message), requestId };
}
