interface DbErrorFields {
  code: string;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  detail?: string | undefined;
}

/**
 * Error of either database. It never contains the statement or its parameters, because they hold personal data. `detail` may
 * hold some ("Key (email_key)=(…) already exists") and is not enumerable, so that loggers skip it.
 */
export class DbError extends Error {
  readonly code: string;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  declare readonly detail: string | undefined;

  constructor(message: string, fields: DbErrorFields) {
    super(message);
    this.name = 'DbError';
    this.code = fields.code;
    this.constraint = fields.constraint;
    this.table = fields.table;
    this.column = fields.column;
    Object.defineProperty(this, 'detail', { value: fields.detail, enumerable: false });
  }
}

/** SQLSTATE codes of errors that the service itself raises, in the classes PostgreSQL uses for such errors. */
export const dbErrorCodes = {
  connectionLost: '08006',
  /** The database gave no answer to the COMMIT of a transaction, which may have been committed. */
  outcomeUnknown: '08007',
  /** No connection became free in time. */
  connectionTimeout: '08001',
  statementTimeout: '57014',
  serializationFailure: '40001',
  deadlock: '40P01',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  /** Raised by PostgreSQL when a table or its log cannot be extended. */
  diskFull: '53100',
  limitExceeded: '54000',
  internalError: 'XX000',
  notSupported: '0A000',
  /** The server accepts no writes: a standby, or `default_transaction_read_only`. */
  readOnly: '25006',
  /** The caller's abort signal fired; a code of our own in class 57 (operator intervention). */
  aborted: '57U00',
  /** The request has waited for the database as long as it may; `budgetSpentLate` if a transaction of it is committed. Codes of our own. */
  budgetSpent: '57U02',
  budgetSpentLate: '57U03',
  /** The coordinator of a cluster did not reach the worker that has the rows of a site (docs/scaling.md). */
  workerLost: '57U04',
  /** A standby did not finish a transaction that it began, which can run again on the primary. */
  standbyLost: '57U01',
} as const;

/** Error of a transaction that a standby did not finish. */
export const standbyLostError = (): DbError =>
  new DbError('The standby did not finish the transaction', { code: dbErrorCodes.standbyLost });

/** Error of a statement whose caller aborted it. */
export const abortedError = (): DbError =>
  new DbError('The request was aborted before the database answered', { code: dbErrorCodes.aborted });

const toText = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * SQLSTATE code of an error. Sockets report names such as ECONNREFUSED and EPIPE; all of them mean that the connection is lost. No SQLSTATE
 * begins with an E. A server that reports a lost connection or a shutdown and keeps the session speaks of another server.
 */
function toCode(code: string | undefined, severity: string | undefined): string {
  if (code === undefined || !/^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code)) return dbErrorCodes.connectionLost;
  return severity === 'ERROR' && /^(08|57P)/.test(code) ? dbErrorCodes.workerLost : code;
}

/** Converts an error of a driver to a DbError. The original is dropped, because it holds the parameters. */
export function toDbError(error: unknown): DbError {
  if (!(error instanceof Error))
    return new DbError('The database failed', { code: dbErrorCodes.connectionLost });
  const fields: Error & Partial<Record<keyof DbErrorFields | 'severity', unknown>> = error;
  return new DbError(error.message || 'The database cannot be reached', {
    code: toCode(toText(fields.code), toText(fields.severity)),
    constraint: toText(fields.constraint),
    table: toText(fields.table),
    column: toText(fields.column),
    detail: toText(fields.detail),
  });
}

/** SQLSTATE code and violated constraint of a database error; undefined for every other error. */
export function getDbError(error: unknown): { code: string; constraint: string | undefined } | undefined {
  return error instanceof DbError ? { code: error.code, constraint: error.constraint } : undefined;
}

/**
 * Errors of the database as a whole, whatever the statement: connection, full disk, no free connection, shutdown, abort, system and I/O
 * errors, read-only standby.
 */
const UNAVAILABLE = /^(08|53100|53300|57P|57U0[0-3]|58|25006)/;
/**
 * Errors of the moment: transactions that collided with others in all their attempts, cancelled statements, those that took too long, and
 * those of a site whose worker is down, which other sites do not meet.
 */
const PASSING = /^(40001|40P01|57014|57U04)/;
/** Errors of a statement that found too little memory (53200) or temporary space (53400), often because it needs too much itself. */
const EXHAUSTED = /^53/;

const hasCode = (error: unknown, pattern: RegExp): boolean =>
  error instanceof DbError && pattern.test(error.code);

/** A connection is refused if the server cannot be reached, or refuses the user, the password or the name of the database. */
export const isConnectionRefused = (error: unknown): boolean => hasCode(error, /^(08|28|3D)/);

/**
 * Whether the database as a whole failed, so that every statement fails now. A statement that found too little memory or temporary space
 * is not included: the data of one site can cause that for ever, so background work counts it against the item.
 */
export const isDatabaseUnavailable = (error: unknown): boolean => hasCode(error, UNAVAILABLE);

/** Whether a statement failed because of what else ran at that moment: it says nothing about its data. */
export const isPassingFailure = (error: unknown): boolean => hasCode(error, PASSING);

/** Whether a cluster did not reach the worker that has the rows of the site, which fails for every statement about them. */
export const isWorkerLost = (error: unknown): boolean =>
  error instanceof DbError && error.code === dbErrorCodes.workerLost;

/**
 * Whether a client should send the same request again. A lack of memory or temporary space is included: a request usually meets it
 * because of other requests, and its client decides how often it tries.
 */
export const isWorthRetrying = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || isPassingFailure(error) || hasCode(error, EXHAUSTED);
