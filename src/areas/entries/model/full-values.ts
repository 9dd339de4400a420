import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { readEntryData } from '../../../api/generated/sdk/entries.gen.ts';
import type { EntryRows } from './row-windows.ts';
import type { Field } from './schema.ts';

/** Texts in row windows are truncated to this many characters: no cell shows more. */
export const WINDOW_TEXT_LIMIT = 500;
// A text has up to a million characters, a response up to 32 MiB.
const MAX_VALUES_PER_REQUEST = 8;

/** Whether the row holds only the beginning of the field's text. */
export const isTruncated = ({ $cut = [] }: RowVm, { apiName }: Pick<Field, 'apiName'>): boolean =>
  $cut.includes(apiName);

type LoadFullRows = (
  rows: readonly RowVm[],
  fields: readonly Field[],
  signal?: AbortSignal,
) => Promise<readonly RowVm[]>;

const customLoaders = new WeakMap<RowVm, LoadFullRows>();

/** Sets how full values of these rows are loaded; used for rows as of a point in the past. */
export function setFullRowLoader(rows: readonly RowVm[], loader: LoadFullRows): void {
  for (const row of rows) customLoaders.set(row, loader);
}

/** Loads the full value of a field before it is edited or copied. @throws ServiceError */
export async function loadFullValue(
  entryId: number,
  fieldId: number,
  signal?: AbortSignal,
): Promise<FieldValue | undefined> {
  const [value] = await loadCells([{ entryId, fieldId }], signal);
  return value;
}

/** Returns the rows with full values of the fields, loading those that are truncated. @throws ServiceError */
export async function loadFullRows(
  rows: readonly RowVm[],
  fields: readonly Field[],
  signal?: AbortSignal,
): Promise<readonly RowVm[]> {
  const [first] = rows;
  const customLoader = first && customLoaders.get(first);
  if (customLoader) return customLoader(rows, fields, signal);
  const truncated = rows.flatMap((row) =>
    fields
      .filter((field) => isTruncated(row, field))
      .map(({ id, apiName }) => ({ row, fieldId: id, apiName })),
  );
  if (truncated.length === 0) return rows;
  const fullValues = new Map<RowVm, Record<string, FieldValue | undefined>>();
  for (let start = 0; start < truncated.length; start += MAX_VALUES_PER_REQUEST) {
    const batch = truncated.slice(start, start + MAX_VALUES_PER_REQUEST);
    // Sequential: each response may be large.
    const values = await loadCells(
      batch.map(({ row, fieldId }) => ({ entryId: row.EntryId, fieldId })),
      signal,
    );
    for (const [index, { row, apiName }] of batch.entries())
      fullValues.set(row, { ...fullValues.get(row), [apiName]: values[index] });
  }
  return rows.map((row) => {
    const values = fullValues.get(row);
    if (!values) return row;
    return { ...row, ...values, $cut: row.$cut?.filter((name) => !(name in values)) ?? [] };
  });
}

async function loadCells(body: { entryId: number; fieldId: number }[], signal: AbortSignal | undefined) {
  const { data } = await readEntryData({
    body,
    query: { wrapIntoArrays: true },
    ...(signal && { signal }),
  });
  const error = data.find((cell) => cell.error)?.error;
  if (error) throw new ServiceError(error.code ?? 500, error.description ?? 'The value could not be loaded');
  return data.map(({ value }) => value);
}

function getCachedRange(rows: EntryRows, from: number, to: number): readonly RowVm[] | undefined {
  const found: RowVm[] = [];
  for (let index = from; index <= to; index += 1) {
    const row = rows.at(index);
    if (!row) return undefined;
    found.push(row);
  }
  return found;
}

/** Loads the rows `from` to `to` with full values of the fields. @throws ServiceError */
export async function loadFullRange(
  rows: EntryRows,
  from: number,
  to: number,
  fields: readonly Field[],
): Promise<readonly RowVm[]> {
  const loaded = await rows.loadRange(from, to).catch((thrown: unknown) => {
    throw toServiceError(thrown);
  });
  // Staged new entries follow those of the service.
  const staged = getCachedRange(rows, from + loaded.length, to) ?? [];
  return loadFullRows([...loaded, ...staged], fields);
}

/** The rows `from` to `to` if all are loaded and the fields are not truncated in any of them. */
export function getFullRange(
  rows: EntryRows,
  from: number,
  to: number,
  fields: readonly Field[],
): readonly RowVm[] | undefined {
  const cached = getCachedRange(rows, from, to);
  return cached?.some((row) => fields.some((field) => isTruncated(row, field))) ? undefined : cached;
}
