import type { SessionIdentity } from '../../../api/session-state.ts';
import { createJobStore } from '../../../app/jobs/job-store.ts';
import type { FieldLabels, ImportRowPlan, ConfirmedRow } from '../../../files/import-plan/plan.ts';

/** Describes what is imported, for display. */
export interface ImportDescription {
  /** Key of the run: `people`, or `entries:` with the id of the type. */
  runKey: string;
  /** Entry type; absent for users. */
  typeId?: number;
  /** Singular and plural: "person", "people". */
  nouns: readonly [one: string, many: string];
  labels: FieldLabels;
  /** Label of the text below a name, if there is one. */
  detailLabel?: string;
  /** Heading of the column with ids, if rows need ids to be recognized again. */
  idHeading?: string;
}

/** Confirmed import, as stored for resuming after a reload. */
export interface ImportJob<Work = unknown> {
  id: string;
  /** User and site that started it; only they can resume it. */
  identity: SessionIdentity;
  description: ImportDescription;
  fileName: string;
  /** Worksheet of a workbook. */
  sheet?: string | undefined;
  headings: readonly string[];
  rows: readonly ConfirmedRow<Work>[];
}

/** Result of a row. */
export interface RowResult {
  result: 'done' | 'partly' | 'failed';
  /** Id of the item, if it exists. */
  id: number | undefined;
  /** Completed steps, for display. */
  done: readonly string[];
  why?: string | undefined;
  requestId?: string | undefined;
  /** No answer came; the item was found afterwards and is assumed to be written by this import. */
  isAssumed?: boolean;
  /** Ids of fields still to be written because they refer to later rows. */
  pendingFieldIds?: readonly number[];
}

/** Whether nothing more is sent for a row. */
export const isFinished = (result: RowResult | undefined): boolean =>
  result !== undefined && result.pendingFieldIds === undefined;

/** Progress of a row, kept while the import is paused so that nothing is sent twice. */
export interface RowProgress {
  id: number | undefined;
  done: string[];
  /** A request was sent without an answer. */
  isUncertain: boolean;
  /** Items created by this import have a greater id. */
  lastIdBefore?: number | undefined;
}

export const createProgress = ({ id }: ImportRowPlan): RowProgress => ({ id, done: [], isUncertain: false });

/** Stored note on a row: about to be sent, or its result. */
export type RowNote = { row: number } & (
  | { sending: true; lastIdBefore?: number | undefined }
  | { result: RowResult }
);

const jobStore = createJobStore<Omit<ImportJob, 'rows'>, ConfirmedRow, RowNote>('import');

export const saveImport = ({ rows, ...job }: ImportJob): Promise<void> => jobStore.save(job, rows);
export const saveRowNotes = (id: string, notes: readonly RowNote[]): Promise<void> =>
  jobStore.addOutcomes(id, notes);
export const deleteImport = (id: string): Promise<void> => jobStore.delete(id);

/** Loads the user's imports on this site with the notes on their rows. */
export async function loadImports(
  identity: SessionIdentity,
): Promise<{ job: ImportJob; notes: RowNote[] }[]> {
  const stored = await jobStore.loadAll(identity);
  return stored.map(({ job, items: rows, outcomes: notes }) => ({ job: { ...job, rows }, notes }));
}

/** Restores results and progress from the stored notes. */
export function restoreProgress(rows: readonly ImportRowPlan[], notes: readonly RowNote[]) {
  const results = new Map(
    notes.flatMap((note) => ('result' in note ? [[note.row, note.result] as const] : [])),
  );
  const sentRows = new Map(
    notes.flatMap((note) => ('sending' in note ? [[note.row, note.lastIdBefore] as const] : [])),
  );
  const progress = new Map<number, RowProgress>();
  // It is unknown whether the request arrived; an existing item counts as its result.
  for (const plan of rows)
    if (sentRows.has(plan.row) && !results.has(plan.row))
      progress.set(plan.row, {
        ...createProgress(plan),
        isUncertain: true,
        lastIdBefore: sentRows.get(plan.row),
      });
  return { results, progress };
}
