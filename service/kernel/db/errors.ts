interface DbErrorFields {
  code: string;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  detail?: string | undefined;
}

/**
 * What either database says went wrong. It never carries the statement or its parameters, which hold personal
 * data; `detail` may ("Key (email_key)=(…) already exists") and is hidden from loggers that walk properties.
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

/** Codes for faults that reach no server, in the classes PostgreSQL keeps for lost connections and ended statements. */
export const faults = {
  lost: '08006',
  busy: '08001',
  tooSlow: '57014',
  tooMany: '54000',
  unasked: '57U00',
} as const;

/** Why what nobody waits for any more was not done. */
export const unasked = (): DbError =>
  new DbError('Nobody waits for the answer any more', { code: faults.unasked });

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Turns whatever a driver threw into a new DbError; the driver's own is dropped, it carries the parameters. */
export function toDbError(error: unknown): DbError {
  if (!(error instanceof Error)) return new DbError('The database failed', { code: faults.lost });
  const given: Error & Partial<Record<keyof DbErrorFields, unknown>> = error;
  const state = textOf(given.code);
  return new DbError(error.message || 'The database cannot be reached', {
    // Sockets report names such as ECONNREFUSED: for a caller all of them mean that the connection is lost.
    code: state !== undefined && /^[0-9A-Z]{5}$/.test(state) ? state : faults.lost,
    constraint: textOf(given.constraint),
    table: textOf(given.table),
    column: textOf(given.column),
    detail: textOf(given.detail),
  });
}

/** The state code and the violated constraint of a database's error; undefined for every other error. */
export function dbErrorOf(error: unknown): { code: string; constraint: string | undefined } | undefined {
  return error instanceof DbError ? { code: error.code, constraint: error.constraint } : undefined;
}
