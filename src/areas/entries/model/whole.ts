import { ServiceError } from '../../../api/errors.ts';
import { readEntryData } from '../../../api/generated/sdk.gen.ts';
import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import type { Field } from './schema.ts';

/** So many characters of a text are read into a window of rows: no cell shows more. */
export const TEXT_LIMIT = 500;
// A text has a million characters at most, an answer 32 MiB.
const AT_ONCE = 8;

/** Whether a row of a window holds only the beginning of the text of a field. */
export const isCut = ({ $cut = [] }: RowVm, { apiName }: Pick<Field, 'apiName'>): boolean =>
  $cut.includes(apiName);

type ReadWhole = (
  rows: readonly RowVm[],
  fields: readonly Field[],
  signal?: AbortSignal,
) => Promise<readonly RowVm[]>;

const readers = new WeakMap<RowVm, ReadWhole>();

/** Rows that are not of today are read whole as they were read in part. */
export function readWholeBy(rows: readonly RowVm[], read: ReadWhole): void {
  for (const row of rows) readers.set(row, read);
}

/** The whole value of a field, before it is edited or copied. @throws ServiceError */
export async function readWhole(
  entryId: number,
  fieldId: number,
  signal?: AbortSignal,
): Promise<FieldValue | undefined> {
  const [value] = await readCells([{ entryId, fieldId }], signal);
  return value;
}

/** Rows with these fields whole; they are read where a window cut them. @throws ServiceError */
export async function wholeRows(
  rows: readonly RowVm[],
  fields: readonly Field[],
  signal?: AbortSignal,
): Promise<readonly RowVm[]> {
  const [first] = rows;
  const reader = first && readers.get(first);
  if (reader) return reader(rows, fields, signal);
  const cut = rows.flatMap((row) =>
    fields.filter((field) => isCut(row, field)).map(({ id, apiName }) => ({ row, fieldId: id, apiName })),
  );
  if (cut.length === 0) return rows;
  const whole = new Map<RowVm, Record<string, FieldValue | undefined>>();
  for (let at = 0; at < cut.length; at += AT_ONCE) {
    const some = cut.slice(at, at + AT_ONCE);
    // oxlint-disable-next-line no-await-in-loop -- one answer after the other: each may be large
    const values = await readCells(
      some.map(({ row, fieldId }) => ({ entryId: row.EntryId, fieldId })),
      signal,
    );
    for (const [place, { row, apiName }] of some.entries())
      whole.set(row, { ...whole.get(row), [apiName]: values[place] });
  }
  return rows.map((row) => {
    const values = whole.get(row);
    if (!values) return row;
    return { ...row, ...values, $cut: row.$cut?.filter((name) => !(name in values)) ?? [] };
  });
}

async function readCells(body: { entryId: number; fieldId: number }[], signal: AbortSignal | undefined) {
  const { data } = await readEntryData({
    body,
    query: { wrapIntoArrays: true },
    ...(signal && { signal }),
  });
  const fault = data.find(({ error }) => error)?.error;
  if (fault) throw new ServiceError(fault.code ?? 500, fault.description ?? 'A value could not be read');
  return data.map(({ value }) => value);
}
