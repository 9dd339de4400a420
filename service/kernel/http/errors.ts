/** One fault of a request: where it is (`groups.2`, `pageSize`) and what is wrong with it, limits included. */
export interface FieldError {
  path: string;
  message: string;
}

/** A refusal that the caller is told about; everything else that is thrown is a 500 (shapes 1, error body). */
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

/** More faults than anybody reads; a request with thousands must not get an answer of their size. */
const MOST_FAULTS = 100;

/** 400 with every fault at once; of very many the first ones and their number. */
export function invalid(fields: readonly FieldError[]): ApiError {
  const [only] = fields;
  const message =
    fields.length === 1 && only
      ? `${only.path}: ${only.message}`
      : `The request has ${fields.length} faults${fields.length > MOST_FAULTS ? `, of which the first ${MOST_FAULTS} are told` : ''}`;
  return new ApiError(400, message, fields.slice(0, MOST_FAULTS));
}

/** 401: no credentials, or none that hold. `scheme` goes into WWW-Authenticate, so that a browser's door can leave it out. */
export const unauthorized = (
  message = 'Sign in, or send a valid access token',
  scheme?: 'Bearer' | 'Basic',
): ApiError =>
  new ApiError(401, message, [], scheme ? { 'www-authenticate': `${scheme} realm="steward"` } : {});

export const forbidden = (message: string): ApiError => new ApiError(403, message);

/** 404; also for what exists on another site, which is absent here. */
export const notFound = (what: string): ApiError => new ApiError(404, `${what} does not exist on this site`);

export const conflict = (message: string, fields: readonly FieldError[] = []): ApiError =>
  new ApiError(409, message, fields);

/** 412: If-Match named a version that is no longer the stored one (shapes 1, lost updates). */
export const stale = (what: string): ApiError =>
  new ApiError(412, `${what} was changed by somebody else since it was read`);

/** 429 or 503 with Retry-After in seconds. */
export const retryLater = (status: 429 | 503, message: string, seconds: number): ApiError =>
  new ApiError(status, message, [], { 'retry-after': String(Math.max(1, Math.ceil(seconds))) });
