import { CODE_MISSING_MESSAGE, isCodeMissingError } from '../lib/code-missing.ts';

/** An error of one value of the request; `path` has the contract's form: "users[3].email". */
export interface FieldError {
  path: string;
  message: string;
}

/** `code` of the error of a call that was abandoned because no answer came in time (api/answer-limit.ts). */
export const NO_ANSWER = 'no-answer';

/** Error of a call, whatever its cause (shapes 1, error body). Status 0 means that no answer came. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  // Declared again because `Error.message` is not enumerable and a spread copy would lose it.
  override readonly message: string;
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  /** Machine-readable reason, where the service gives one. */
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    fields: readonly FieldError[] = [],
    requestId?: string,
    code?: string,
  ) {
    super(message);
    this.message = message;
    this.status = status;
    this.fields = fields;
    this.requestId = requestId;
    this.code = code;
  }
}

/** Error of a write that may have taken effect: no answer came in time, the connection broke, or a proxy has lost the answer. */
export class UnknownOutcomeError extends ServiceError {}

const MESSAGES: Record<number, string> = {
  400: 'The service did not accept the request',
  401: 'The session has ended',
  403: 'You do not have permission to do this',
  404: 'This does not exist on this site',
  409: 'Someone else changed this in the meantime',
  412: 'Someone else changed this in the meantime',
  413: 'The request is too large',
  429: 'Too many requests in a short time',
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function parseFieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isRecord)
    .map((item) => ({ path: nonEmptyString(item.path) ?? '', message: nonEmptyString(item.message) ?? '' }));
}

/** Operations whose 401 concerns the submitted credentials. */
const SIGN_IN_PATH = /\/session(\/passkey|\/two-factor|\/identity\/finish)?$/;

/** Error of a call to which no answer came. */
export const unreachableError = (): ServiceError => new ServiceError(0, 'The service cannot be reached');

/** Converts whatever a call threw (an error body, an HTML page, an error of the console) to a `ServiceError`. */
export function toServiceError(thrown: unknown, response?: Response): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  // The body of an answer that breaks off fails like `fetch` itself.
  if (response?.ok && thrown instanceof TypeError) return unreachableError();
  if (!response) {
    if (thrown instanceof Error && thrown.name === 'AbortError')
      return new ServiceError(0, 'The request was cancelled');
    if (isCodeMissingError(thrown)) return new ServiceError(500, CODE_MISSING_MESSAGE);
    return new ServiceError(500, thrown instanceof Error ? thrown.message : 'An unexpected error occurred');
  }
  const body = isRecord(thrown) ? thrown : {};
  // The service's message of a 401 addresses programs; only at the sign-in does it help a person.
  const hidesServiceMessage =
    response.status === 401 && !SIGN_IN_PATH.test(new URL(response.url, 'http://console').pathname);
  const message =
    (hidesServiceMessage ? undefined : nonEmptyString(body.message)) ??
    MESSAGES[response.status] ??
    `The service answered with status ${response.status}`;
  const requestId = nonEmptyString(body.requestId) ?? response.headers.get('x-request-id') ?? undefined;
  return new ServiceError(
    response.status,
    message,
    parseFieldErrors(body.errors),
    requestId,
    nonEmptyString(body.code),
  );
}

/** Whether no answer came, or only one of a proxy in front of the service. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ServiceError && [0, 502, 503, 504].includes(error.status);
