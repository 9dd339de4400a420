/** A complaint about one value of the request; `path` as the contract writes it: "users[3].email". */
export interface FieldError {
  path: string;
  message: string;
}

/**
 * The one shape every failure of a call has, whatever threw it (shapes 1, error body).
 * Status 0 means that no answer came.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  // Of an Error it is not enumerable, and a spread copy would lose it.
  override readonly message: string;
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  /** What the service calls the reason, where it has a name for programs. */
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

const MESSAGES: Record<number, string> = {
  400: 'The service did not accept the request',
  401: 'The session has ended',
  403: 'You may not do this',
  404: 'This does not exist on this site',
  409: 'Somebody else changed this in the meantime',
  412: 'Somebody else changed this in the meantime',
  413: 'The request is too large',
  429: 'Too many requests in a short time',
  501: 'The service does not offer this yet',
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isRecord)
    .map((item) => ({ path: text(item.path) ?? '', message: text(item.message) ?? '' }));
}

/** Where a 401 answers what was typed or shown. */
const SIGN_IN = /\/session(\/passkey|\/two-factor)?$/;

/** Turns whatever a call threw (an error body, a page of HTML, a network fault) into the one shape. */
export function toServiceError(thrown: unknown, response?: Response): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (!response) {
    const aborted = thrown instanceof Error && thrown.name === 'AbortError';
    const unreachable = thrown instanceof TypeError;
    if (aborted || unreachable)
      return new ServiceError(0, aborted ? 'The call was stopped' : 'The service cannot be reached');
    return new ServiceError(500, thrown instanceof Error ? thrown.message : 'Something unexpected happened');
  }
  const body = isRecord(thrown) ? thrown : {};
  // What a program would have to do about a 401 is no help to a person, but at the sign-in it says what is wrong.
  const own = response.status === 401 && !SIGN_IN.test(new URL(response.url, 'http://console').pathname);
  const message =
    (own ? undefined : text(body.message)) ??
    MESSAGES[response.status] ??
    `The service answered with status ${response.status}`;
  const requestId = text(body.requestId) ?? response.headers.get('x-request-id') ?? undefined;
  return new ServiceError(response.status, message, fieldErrors(body.errors), requestId, text(body.code));
}

/** True where no answer came, or one that a proxy in between gave for it. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ServiceError && [0, 502, 503, 504].includes(error.status);
