export const OUTCOMES = ['create', 'update', 'skip', 'cannot'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Counts = Record<Outcome, number>;

/** How the page calls the fields of what is imported, by their keys. */
export type Labels = Readonly<Record<string, string>>;

/** A field that gets another value; both as the page shows them. */
export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

/** What is wrong with a row; `field` is where. */
export interface Fault {
  field: string | undefined;
  message: string;
}

/** What would become of one row; `work` is what has to be sent for it. */
export interface Planned<Work = unknown> {
  /** As a spreadsheet counts: the heading is row 1. */
  row: number;
  outcome: Outcome;
  /** Which one it is, if known already. */
  id: number | undefined;
  name: string;
  /** What stands under the name. */
  detail: string;
  changes: readonly FieldChange[];
  faults: readonly Fault[];
  /** Empty for what is not sent. */
  work: Work;
}

/** A row that is sent, with its cells as they stand in the file. */
export interface SentRow<Work = unknown> {
  plan: Planned<Work>;
  cells: readonly string[];
}
