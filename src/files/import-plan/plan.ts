export const OUTCOMES = ['create', 'update', 'skip', 'cannot'] as const;
export type RowOutcome = (typeof OUTCOMES)[number];
export type OutcomeCounts = Record<RowOutcome, number>;

/** Names of the imported fields by key, for display. */
export type FieldLabels = Readonly<Record<string, string>>;

/** Change of a field, as displayed. */
export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

/** Error of a row; `field` is undefined if it concerns the whole row. */
export interface RowError {
  field: string | undefined;
  message: string;
}

/** Planned import of one row; `work` holds the requests to make. */
export interface ImportRowPlan<Work = unknown> {
  /** Row number as in a spreadsheet; the heading is row 1. */
  row: number;
  outcome: RowOutcome;
  /** Id of the existing item, if known. */
  id: number | undefined;
  name: string;
  /** Text below the name. */
  detail: string;
  changes: readonly FieldChange[];
  errors: readonly RowError[];
  /** The cells of the row as in the file; only of confirmed plans. */
  cells?: readonly string[];
  /** Empty if nothing is sent. */
  work: Work;
}

const getLabel = (field: string, labels: FieldLabels): string => labels[field] ?? field;

/** Formats an error with the name of its column. */
export const formatRowError = ({ field, message }: RowError, labels: FieldLabels): string =>
  field === undefined ? message : `${getLabel(field, labels)}: ${message}`;

/** Formats a change: `Status: Active → Inactive`. */
export const formatFieldChange = ({ field, before, after }: FieldChange, labels: FieldLabels): string =>
  `${getLabel(field, labels)}: ${before === '' ? '' : `${before} → `}${after}`;
