import type { RowVm } from '../../api/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import type { EntryRows } from '../rows.ts';

function loaded(rows: EntryRows, from: number, to: number): readonly RowVm[] | undefined {
  const found: RowVm[] = [];
  for (let at = from; at <= to; at += 1) {
    const row = rows.at(at);
    if (!row) return undefined;
    found.push(row);
  }
  return found;
}

/** The rows of a stretch, read where they are not there yet. */
export async function rowsBetween(rows: EntryRows, from: number, to: number): Promise<readonly RowVm[]> {
  const there = loaded(rows, from, to);
  if (there) return there;
  return new Promise((resolve, reject) => {
    const stop = rows.subscribe(() => {
      const failure = rows.failure();
      const found = loaded(rows, from, to);
      if (!found && failure === undefined) return;
      stop();
      if (found) resolve(found);
      else reject(toServiceError(failure));
    });
    rows.want(from, to);
  });
}

/** The rows of a stretch where all of them are there. */
export const rowsAtHand = loaded;
