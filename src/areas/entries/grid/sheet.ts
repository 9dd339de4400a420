import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import type { EntryColumn } from '../model/columns.ts';
import { cellKey } from '../editing/changes.ts';
import type { Changes, Misfit, StagedCell, StagedDeletion } from '../editing/changes.ts';
import type { Block } from '../editing/paste.ts';
import { lockedReason, missingIn } from '../editing/rules.ts';
import { toTsv } from '../editing/tsv.ts';
import { toTyped } from '../editing/typed.ts';
import { ruled } from '../editing/use-current.ts';
import type { Current } from '../editing/use-current.ts';
import type { Field, Schema } from '../model/schema.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';

/** What makes a grid one in which values are changed. */
export interface Editing {
  typeId: number;
  schema: Schema;
  /** All fields of the type, also those that no column shows. */
  fields: readonly Field[];
  changes: Changes;
  /** Why this person changes nothing here. */
  refusal: string | undefined;
  zone: string;
  /** Values of staged entries in fields that rules ask for, by `cellKey`, as far as they were read. */
  current?: ReadonlyMap<string, Current> | undefined;
}

/** Why a cell cannot be edited. */
export const refusalOf = (
  { refusal, changes }: Pick<Editing, 'refusal' | 'changes'>,
  field: Field,
  entryId: number,
): string | undefined =>
  refusal ??
  (changes.deletions.has(entryId) ? 'This entry is to be deleted: keep it first' : undefined) ??
  lockedReason(field);

/** What a cell shows: what is staged for it, else what the service holds. */
export function shownIn(row: RowVm, field: Field, { cells }: Changes): FieldValue | undefined {
  const staged = cells.get(row.EntryId)?.get(field.id);
  return staged ? staged.value : valueIn(row, field);
}

/** How an entry is called in the list of changes; a new one is called there as its name is staged. */
export function nameIn(row: RowVm, columns: readonly EntryColumn[]): string {
  if (row.EntryId < 0) return `New entry ${-row.EntryId}`;
  const [key] = columns;
  const [name] = key ? itemsOf(valueIn(row, key.field)) : [];
  const text = key && name !== undefined ? itemText(name, key.field).trim() : '';
  return text === '' ? `Entry ${row.EntryId}` : text.slice(0, 200);
}

/** A cell with a new value, to be staged. */
export const cellOf = (
  row: RowVm,
  field: Field,
  value: FieldValue | undefined,
  columns: readonly EntryColumn[],
  misfit?: Misfit,
): StagedCell => ({
  entryId: row.EntryId,
  entryName: nameIn(row, columns),
  fieldId: field.id,
  before: valueIn(row, field),
  value,
  ...(misfit && { misfit }),
});

/** An entry as it is seen in these columns, to be staged to go. */
export const deletionOf = (row: RowVm, columns: readonly EntryColumn[]): StagedDeletion => ({
  entryId: row.EntryId,
  entryName: nameIn(row, columns),
  seen: row,
  fieldIds: columns.map(({ field }) => field.id),
});

/** A block of cells as it is copied: as a sheet takes it, and to be pasted back exactly. */
export function copyOf(
  rows: readonly RowVm[],
  columns: readonly EntryColumn[],
  { changes, zone }: Pick<Editing, 'changes' | 'zone'>,
): { tsv: string; block: Block } {
  const values = rows.map((row) => columns.map(({ field }) => shownIn(row, field, changes)));
  const cellText = (value: FieldValue | undefined, at: number): string | number => {
    const field = columns[at]?.field;
    if (typeof value === 'number') return value;
    return field ? toTyped(value, field, zone) : '';
  };
  const cells = values.map((row) => row.map(cellText));
  return {
    tsv: toTsv(cells),
    block: {
      texts: cells.map((row) => row.map(String)),
      values,
      fieldIds: columns.map(({ field }) => field.id),
    },
  };
}

/** What is wrong in an entry as it is staged: what the service said, and what its fields need by now. */
export function faultsIn(
  row: RowVm,
  columns: readonly EntryColumn[],
  { fields, changes, current }: Pick<Editing, 'fields' | 'changes' | 'current'>,
): ReadonlyMap<number, string> {
  const staged = changes.cells.get(row.EntryId);
  if (!staged) return NO_FAULTS;
  const unseen = ruled(fields).flatMap(({ id: fieldId }) => {
    const read = current?.get(cellKey({ entryId: row.EntryId, fieldId }));
    return read ? [[fieldId, read.value] as const] : [];
  });
  // All of a new entry has to be there; of others what is not known here is left to the service.
  const isNew = row.EntryId < 0;
  const before = new Map([
    ...(isNew ? fields.map(({ id }) => [id, undefined] as const) : []),
    ...unseen,
    ...[...staged.values()].map((cell) => [cell.fieldId, cell.before] as const),
    ...columns.map(({ field }) => [field.id, valueIn(row, field)] as const),
  ]);
  const after = new Map([
    ...before,
    ...[...staged.values()].map((cell) => [cell.fieldId, cell.value] as const),
  ]);
  const said = fields.flatMap((field) => {
    const fault =
      staged.get(field.id)?.misfit?.fault ??
      changes.faults.get(cellKey({ entryId: row.EntryId, fieldId: field.id }));
    return fault === undefined ? [] : [[field.id, fault] as const];
  });
  return new Map([...missingIn(fields, isNew ? undefined : before, after), ...said]);
}

const NO_FAULTS: ReadonlyMap<number, string> = new Map();
