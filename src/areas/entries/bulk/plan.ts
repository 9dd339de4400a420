import type { EntryUpdates, FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { findMissingValues, getValueError } from '../editing/value-rules.ts';
import type { Field } from '../model/schema.ts';
import { isSameValue, formatEntryName, getValue, toRequestValue } from '../model/values.ts';

/** Value of a field before and after a change; undefined: no data. */
export interface CellChange {
  fieldId: number;
  before: FieldValue | undefined;
  after: FieldValue | undefined;
}

/** Planned change of one entry. */
export interface EntryChange {
  entryId: number;
  name: string;
  cells: readonly CellChange[];
}

/** Entry that is not changed, with the reason. */
export interface Refusal {
  entryId: number;
  name: string;
  why: string;
}

/** New value of a field for many entries; undefined clears it. */
export interface FieldEdit {
  fieldId: number;
  value: FieldValue | undefined;
}

/** Values that all entries get, field by field. */
export type BulkEdit = readonly FieldEdit[];

/** Result of planning. */
export interface BulkPlan {
  changes: EntryChange[];
  refused: Refusal[];
  /** Number of entries that hold all target values already. */
  unchangedCount: number;
}

/**
 * Fields whose values a dry run needs: the edited ones, the name, and for conditions that involve an edited field all
 * fields of the condition and the field it makes required (spec 4.6).
 */
export function getFieldsToRead(edit: BulkEdit, fields: readonly Field[]): readonly Field[] {
  const editedIds = new Set(edit.map(({ fieldId }) => fieldId));
  const neededIds = new Set(editedIds);
  for (const { id, requiredWhen } of fields) {
    const conditionFieldIds = requiredWhen?.conditions.map(({ fieldId }) => fieldId) ?? [];
    if (conditionFieldIds.length === 0 || ![id, ...conditionFieldIds].some((one) => editedIds.has(one)))
      continue;
    for (const one of [id, ...conditionFieldIds]) neededIds.add(one);
  }
  return fields.filter(({ id, isKey }) => isKey || neededIds.has(id));
}

/** Adds the outcome of these rows to a plan. @param fields the fields that were read */
export function planRows(
  plan: BulkPlan,
  rows: readonly RowVm[],
  edit: BulkEdit,
  fields: readonly Field[],
): void {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const key = fields.find(({ isKey }) => isKey);
  const valueErrors = getValueErrors(edit, byId);
  for (const row of rows) {
    const name = formatEntryName(row, key);
    const refuse = (why: string) => plan.refused.push({ entryId: row.EntryId, name, why });
    const before = new Map(fields.map((field) => [field.id, getValue(row, field)]));
    const cells = edit
      .filter(({ fieldId }) => byId.has(fieldId))
      .map(({ fieldId, value }) => ({ fieldId, before: before.get(fieldId), after: value }))
      .filter((cell) => !isSameValue(cell.before, cell.after));
    if (cells.length === 0) {
      plan.unchangedCount += 1;
      continue;
    }
    const after = new Map(before);
    for (const cell of cells) after.set(cell.fieldId, cell.after);
    const [missing] = findMissingValues(fields, before, after).values();
    const why = valueErrors[0] ?? missing;
    if (why === undefined) plan.changes.push({ entryId: row.EntryId, name, cells });
    else refuse(why);
  }
}

const getValueErrors = (edits: readonly FieldEdit[], byId: ReadonlyMap<number, Field>): readonly string[] =>
  edits.flatMap(({ fieldId, value }) => {
    const field = byId.get(fieldId);
    return field ? (getValueError(value, field) ?? []) : [];
  });

/**
 * Request of the job for a plan. Each entry says what the dry run read of all edited fields, so that the service leaves entries alone
 * that someone else changed since.
 */
export const buildJobRequest = (
  typeId: number,
  edit: BulkEdit,
  changes: readonly EntryChange[],
): EntryUpdates & Pick<Required<EntryUpdates>, 'entries'> => ({
  entryTypeId: typeId,
  values: edit.map(({ fieldId, value }) => ({ fieldId, ...toRequestValue(value) })),
  entries: changes.map(({ entryId, cells }) => {
    const before = new Map(cells.map((cell) => [cell.fieldId, cell.before]));
    return {
      entryId,
      expected: edit.map(({ fieldId, value }) => ({
        fieldId,
        ...toRequestValue(before.has(fieldId) ? before.get(fieldId) : value),
      })),
    };
  }),
});

const REFUSED_HEADER = ['entry id', 'name', 'reason'];

/** CSV of refused entries with the reasons. */
export const buildRefusedReport = (refused: readonly Refusal[]): string =>
  formatCsv([REFUSED_HEADER, ...refused.map(({ entryId, name, why }) => [entryId, name, why])]);
