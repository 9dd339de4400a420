import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import { missingIn, valueFault } from '../editing/rules.ts';
import { sameValue } from '../editing/written.ts';
import type { Field } from '../model/schema.ts';
import { entryName, valueIn } from '../model/values.ts';

/** What a field of an entry holds before a change, and then; undefined: no data. */
export interface CellChange {
  fieldId: number;
  before: FieldValue | undefined;
  after: FieldValue | undefined;
}

/** An entry that is changed. */
export interface EntryChange {
  entryId: number;
  name: string;
  cells: readonly CellChange[];
}

/** An entry that is left alone, and why. */
export interface Refusal {
  entryId: number;
  name: string;
  why: string;
}

/** The same values for many entries; undefined clears a field. */
export interface FieldEdit {
  fieldId: number;
  value: FieldValue | undefined;
}

/** What is asked of many entries: the same of all, or of each its own, as a way back does. */
export type BulkEdit =
  | { kind: 'same'; edits: readonly FieldEdit[] }
  | { kind: 'each'; changes: readonly EntryChange[] };

/** What would come of each entry. */
export interface BulkPlan {
  changes: EntryChange[];
  refused: Refusal[];
  /** Entries that hold all of it already. */
  same: number;
}

/** The fields that an edit writes. */
const fieldsOf = (edit: BulkEdit): readonly number[] =>
  edit.kind === 'same'
    ? edit.edits.map(({ fieldId }) => fieldId)
    : [...new Set(edit.changes.flatMap(({ cells }) => cells.map(({ fieldId }) => fieldId)))];

/**
 * The fields whose values a dry run has to know: those that are written, the name, and where one of them is asked by
 * conditions, the fields of these conditions and the one that they are for (spec 4.6).
 */
export function fieldsToRead(edit: BulkEdit, fields: readonly Field[]): readonly Field[] {
  const written = new Set(fieldsOf(edit));
  const needed = new Set(written);
  for (const { id, requiredWhen } of fields) {
    const asked = requiredWhen?.conditions.map(({ fieldId }) => fieldId) ?? [];
    if (asked.length === 0 || ![id, ...asked].some((one) => written.has(one))) continue;
    for (const one of [id, ...asked]) needed.add(one);
  }
  return fields.filter(({ id, isKey }) => isKey || needed.has(id));
}

/** What entries are to hold, looked up by entry. */
function wishOf(edit: BulkEdit): (entryId: number) => readonly (FieldEdit & { held?: CellChange })[] {
  if (edit.kind === 'same') return () => edit.edits;
  const each = new Map(
    edit.changes.map(({ entryId, cells }) => [
      entryId,
      cells.map((held) => ({ fieldId: held.fieldId, value: held.after, held })),
    ]),
  );
  return (entryId) => each.get(entryId) ?? [];
}

const MEANWHILE = 'was changed by somebody else since';

/** Adds what would come of these rows to a plan. `fields`: those that were read. */
export function planRows(
  plan: BulkPlan,
  rows: readonly RowVm[],
  edit: BulkEdit,
  fields: readonly Field[],
): void {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const key = fields.find(({ isKey }) => isKey);
  const wish = wishOf(edit);
  const faults = edit.kind === 'same' ? faultsOf(edit.edits, byId) : [];
  for (const row of rows) {
    const name = entryName(row, key);
    const refuse = (why: string) => plan.refused.push({ entryId: row.EntryId, name, why });
    const before = new Map(fields.map((field) => [field.id, valueIn(row, field)]));
    const wanted = wish(row.EntryId).filter(({ fieldId }) => byId.has(fieldId));
    const cells = wanted
      .map(({ fieldId, value }) => ({ fieldId, before: before.get(fieldId), after: value }))
      .filter((cell) => !sameValue(cell.before, cell.after));
    if (cells.length === 0) {
      plan.same += 1;
      continue;
    }
    const changed = new Set(cells.map(({ fieldId }) => fieldId));
    const meanwhile = wanted.find(
      ({ fieldId, held }) => held && changed.has(fieldId) && !sameValue(held.before, before.get(fieldId)),
    );
    if (meanwhile) {
      refuse(`${byId.get(meanwhile.fieldId)?.name ?? 'A field'} ${MEANWHILE}`);
      continue;
    }
    const after = new Map(before);
    for (const cell of cells) after.set(cell.fieldId, cell.after);
    const [missing] = missingIn(fields, before, after).values();
    const why = faults[0] ?? missing;
    if (why === undefined) plan.changes.push({ entryId: row.EntryId, name, cells });
    else refuse(why);
  }
}

const faultsOf = (edits: readonly FieldEdit[], byId: ReadonlyMap<number, Field>): readonly string[] =>
  edits.flatMap(({ fieldId, value }) => {
    const field = byId.get(fieldId);
    return field ? (valueFault(value, field) ?? []) : [];
  });

/** What brings entries back to what they held. */
export const inverse = (changes: readonly EntryChange[]): BulkEdit => ({
  kind: 'each',
  changes: changes.map((change) => ({
    ...change,
    cells: change.cells.map(({ fieldId, before, after }) => ({ fieldId, before: after, after: before })),
  })),
});
