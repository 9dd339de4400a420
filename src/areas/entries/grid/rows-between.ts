import type { RowVm } from '../../../api/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryRows } from '../model/rows.ts';
import type { Field } from '../model/schema.ts';
import { isCut, wholeRows } from '../model/whole.ts';

function loaded(rows: EntryRows, from: number, to: number): readonly RowVm[] | undefined {
  const found: RowVm[] = [];
  for (let at = from; at <= to; at += 1) {
    const row = rows.at(at);
    if (!row) return undefined;
    found.push(row);
  }
  return found;
}

/** The rows of a stretch with these fields whole, read where they are not there yet. @throws ServiceError */
export async function rowsBetween(
  rows: EntryRows,
  from: number,
  to: number,
  fields: readonly Field[],
): Promise<readonly RowVm[]> {
  const read = await rows.between(from, to).catch((thrown: unknown) => {
    throw toServiceError(thrown);
  });
  // Entries that are only staged stand behind those that the service has.
  const staged = loaded(rows, from + read.length, to) ?? [];
  return wholeRows([...read, ...staged], fields);
}

/** The rows of a stretch where all of them are there, and these fields whole in each. */
export function rowsAtHand(
  rows: EntryRows,
  from: number,
  to: number,
  fields: readonly Field[],
): readonly RowVm[] | undefined {
  const there = loaded(rows, from, to);
  return there?.some((row) => fields.some((field) => isCut(row, field))) ? undefined : there;
}
