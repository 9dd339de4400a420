import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { findMissingValues, getValueError } from '../editing/value-rules.ts';
import type { Field } from '../model/schema.ts';
import { isSameValue, formatEntryName, getValue } from '../model/values.ts';

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

/** Edit of many entries: the same values for all, or values per entry (undo). */
export type BulkEdit =
  | { kind: 'same'; edits: readonly FieldEdit[] }
  | { kind: 'each'; changes: readonly EntryChange[] };

/** Result of planning. */
export interface BulkPlan {
  changes: EntryChange[];
  refused: Refusal[];
  /** Number of entries that hold all target values already. */
  unchangedCount: number;
}

/** Ids of the fields that an edit writes. */
const getEditedFieldIds = (edit: BulkEdit): readonly number[] =>
  edit.kind === 'same'
    ? edit.edits.map(({ fieldId }) => fieldId)
    : [...new Set(edit.changes.flatMap(({ cells }) => cells.map(({ fieldId }) => fieldId)))];

/**
 * Fields whose values a dry run needs: the edited ones, the name, and for conditions that involve an edited field all
 * fields of the condition and the field it makes required (spec 4.6).
 */
export function getFieldsToRead(edit: BulkEdit, fields: readonly Field[]): readonly Field[] {
  const editedIds = new Set(getEditedFieldIds(edit));
  const neededIds = new Set(editedIds);
  for (const { id, requiredWhen } of fields) {
    const conditionFieldIds = requiredWhen?.conditions.map(({ fieldId }) => fieldId) ?? [];
    if (conditionFieldIds.length === 0 || ![id, ...conditionFieldIds].some((one) => editedIds.has(one)))
      continue;
    for (const one of [id, ...conditionFieldIds]) neededIds.add(one);
  }
  return fields.filter(({ id, isKey }) => isKey || neededIds.has(id));
}

/** Target values by entry id. */
function createTargetLookup(
  edit: BulkEdit,
): (entryId: number) => readonly (FieldEdit & { change?: CellChange })[] {
  if (edit.kind === 'same') return () => edit.edits;
  const targetsByEntryId = new Map(
    edit.changes.map(({ entryId, cells }) => [
      entryId,
      cells.map((change) => ({ fieldId: change.fieldId, value: change.after, change })),
    ]),
  );
  return (entryId) => targetsByEntryId.get(entryId) ?? [];
}

const CONFLICT_REASON = 'was changed by someone else';

/** Adds the outcome of these rows to a plan. @param fields the fields that were read */
export function planRows(
  plan: BulkPlan,
  rows: readonly RowVm[],
  edit: BulkEdit,
  fields: readonly Field[],
): void {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const key = fields.find(({ isKey }) => isKey);
  const getTargets = createTargetLookup(edit);
  const valueErrors = edit.kind === 'same' ? getValueErrors(edit.edits, byId) : [];
  for (const row of rows) {
    const name = formatEntryName(row, key);
    const refuse = (why: string) => plan.refused.push({ entryId: row.EntryId, name, why });
    const before = new Map(fields.map((field) => [field.id, getValue(row, field)]));
    const targets = getTargets(row.EntryId).filter(({ fieldId }) => byId.has(fieldId));
    const cells = targets
      .map(({ fieldId, value }) => ({ fieldId, before: before.get(fieldId), after: value }))
      .filter((cell) => !isSameValue(cell.before, cell.after));
    if (cells.length === 0) {
      plan.unchangedCount += 1;
      continue;
    }
    const changedFieldIds = new Set(cells.map(({ fieldId }) => fieldId));
    const conflict = targets.find(
      ({ fieldId, change }) =>
        change && changedFieldIds.has(fieldId) && !isSameValue(change.before, before.get(fieldId)),
    );
    if (conflict) {
      refuse(`${byId.get(conflict.fieldId)?.name ?? 'A field'} ${CONFLICT_REASON}`);
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

/** Edit that restores the previous values. */
export const buildInverse = (changes: readonly EntryChange[]): BulkEdit => ({
  kind: 'each',
  changes: changes.map((change) => ({
    ...change,
    cells: change.cells.map(({ fieldId, before, after }) => ({ fieldId, before: after, after: before })),
  })),
});
