import { ApiError } from '../api-error.ts';
import type { Recorder } from '../audit/change.ts';
import { withSavepoint } from '../db/database.ts';
import type { ItemOutcome, JobBatch } from './job-kind.ts';

/**
 * Changes the items of a batch one after another, for areas without a batch form: an item that is refused with an ApiError writes
 * nothing and gets the outcome of `toOutcome`; the others of the batch are not affected.
 */
export async function runEach<Input extends object>(
  { tx, record, items }: Pick<JobBatch<object, Input>, 'tx' | 'record' | 'items'>,
  toOutcome: (error: ApiError) => ItemOutcome,
  changeItem: (item: Input, record: Recorder) => Promise<ItemOutcome>,
): Promise<ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  for (const item of items) {
    const records: Parameters<Recorder>[0][] = [];
    try {
      outcomes.push(await withSavepoint(tx, () => changeItem(item, (entry) => records.push(entry))));
      for (const entry of records) record(entry);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcomes.push(toOutcome(error));
    }
  }
  return outcomes;
}
