/** One validation error of a request: path of the value (`groups.2`, `pageSize`) and message with the limit. */
export interface FieldError {
  path: string;
  message: string;
}

/** An error response for the caller (shapes 1, error body). Every other error becomes a 500. */
export class ApiError extends Error {
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the error body, such as the `error` of RFC 6749 5.2. */
  readonly extra: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    fields: readonly FieldError[] = [],
    headers: Readonly<Record<string, string>> = {},
    extra: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.fields = fields;
    this.headers = headers;
    this.extra = extra;
  }
}

/**
 * Limit of reported validation errors. Validation stops at the next one, so that a request with thousands of errors neither keeps the
 * process busy nor causes a response of that size.
 */
export const MAX_FIELD_ERRORS = 100;

/** Whether validation may stop, because `badRequest` reports no further errors. */
export const hasEnoughErrors = (errors: readonly FieldError[]): boolean => errors.length > MAX_FIELD_ERRORS;

/** 400 with all validation errors, or with the first ones and the statement that there are more. */
export function badRequest(fields: readonly FieldError[]): ApiError {
  const [only] = fields;
  if (fields.length === 1 && only) return new ApiError(400, `${only.path}: ${only.message}`, fields);
  const message = hasEnoughErrors(fields)
    ? `The request has more than ${MAX_FIELD_ERRORS} errors; the first ${MAX_FIELD_ERRORS} are listed`
    : `The request has ${fields.length} errors`;
  return new ApiError(400, message, fields.slice(0, MAX_FIELD_ERRORS));
}

/** 401 for missing or invalid credentials. `scheme` is sent in WWW-Authenticate; the session API omits it. */
export const unauthorized = (
  message = 'Sign in or send a valid access token',
  scheme?: 'Bearer' | 'Basic',
): ApiError =>
  new ApiError(401, message, [], scheme ? { 'www-authenticate': `${scheme} realm="steward"` } : {});

export const forbidden = (message: string): ApiError => new ApiError(403, message);

/** 404, also for resources of other sites. `resourceName` starts the message, such as "User 7". */
export const notFound = (resourceName: string): ApiError =>
  new ApiError(404, `${resourceName} does not exist on this site`);

/** 409. */
export const conflict = (message: string, fields: readonly FieldError[] = []): ApiError =>
  new ApiError(409, message, fields);

/** 412: the version in If-Match is outdated (shapes 1, lost updates). */
export const preconditionFailed = (resourceName: string): ApiError =>
  new ApiError(412, `Someone else has changed ${resourceName} since this version was read`);

/** 429 or 503 with Retry-After in seconds. */
export const retryLater = (status: 429 | 503, message: string, seconds: number): ApiError =>
  new ApiError(status, message, [], { 'retry-after': String(Math.max(1, Math.ceil(seconds))) });
