import type { WriteOperation } from '../../../api/invalidation.ts';
import { loadImporter } from '../../../app/jobs/importers.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { ImportDescription, RowProgress, RowResult } from './job-store.ts';

/** Rows executed together, with the progress of each. */
export interface RowBatch {
  rows: readonly ImportRowPlan[];
  progress: ReadonlyMap<number, RowProgress>;
  /** Results of all rows so far, including this batch. */
  results: ReadonlyMap<number, RowResult>;
  /** Ids of items that this import has created. */
  createdIds: ReadonlySet<number>;
  /** Records the result of a row as soon as it is known. */
  report: (row: number, result: RowResult) => void;
}

/** Writes rows of one kind of import. */
export interface ImportExecutor {
  /** Number of batches executed at the same time. */
  concurrency: number;
  /** Splits rows into batches. */
  splitIntoBatches: (rows: readonly ImportRowPlan[]) => readonly (readonly ImportRowPlan[])[];
  /**
   * Greatest existing id, if new items always get a greater one; used to find items created by an unanswered request.
   */
  getLastId?: (() => Promise<number>) | undefined;
  /**
   * Executes a batch and reports the results. Rows that wait for others are executed again in the next round. @throws
   * ServiceError if the error does not concern the rows, so that they can be tried again
   */
  execute: (batch: RowBatch) => Promise<void>;
  /** Write operations whose invalidations run at the end. */
  operations: readonly WriteOperation[];
}

/** Loads the executor of an import. @throws Error if no area registered the kind, or for people, whom the service imports */
export async function loadExecutor({ typeId }: ImportDescription): Promise<ImportExecutor> {
  if (typeId === undefined) throw new Error('Imports of people run in the service');
  const executor = await loadImporter('entries', typeId);
  // Areas register importers that satisfy this type; app/jobs cannot name it.
  return executor as ImportExecutor;
}
