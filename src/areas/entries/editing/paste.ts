import type { FieldValue, NamedValue, RowVm } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import { resolveNames } from './candidates.ts';
import type { Resolved, Sources } from './candidates.ts';
import type { Changes, StagedCell } from './changes.ts';
import { lockedReason, valueFault } from './rules.ts';
import { readTyped } from './typed.ts';
import type { Typed } from './typed.ts';
import { sameValue } from './written.ts';

/** A block of cells as they were copied: their texts, and the values themselves where they come from this page. */
export interface Block {
  texts: readonly (readonly string[])[];
  values?: readonly (readonly (FieldValue | undefined)[])[];
  /** The fields that the values are of, by column. */
  fieldIds?: readonly number[];
}

/** Where a row of the block goes. */
export interface PasteRow {
  /** Negative for a new entry. */
  entryId: number;
  entryName: string;
  row: RowVm | undefined;
  /** Below the last row: a new entry where that is wanted. */
  isBeyond?: boolean;
}

export interface PasteCell {
  to: PasteRow;
  field: Field;
  text: string;
  before: FieldValue | undefined;
  /** What becomes of it. */
  outcome: { value: FieldValue | undefined; isSame: boolean } | { fault: string } | { kept: string };
}

export interface PasteAsked {
  block: Block;
  rows: readonly PasteRow[];
  fields: readonly Field[];
  sources: Sources;
  changes: Changes;
  zone: string;
}

const heldIn = ({ row, entryId }: PasteRow, field: Field, changes: Changes): FieldValue | undefined => {
  const staged = changes.cells.get(entryId)?.get(field.id);
  return staged ? staged.value : row && valueIn(row, field);
};

/** Values of this page are taken as they are where they go back into the same field. */
function readCell(
  asked: PasteAsked,
  row: number,
  column: number,
  field: Field,
  held: FieldValue | undefined,
): Typed {
  const { block, zone } = asked;
  if (block.values && block.fieldIds?.[column] === field.id) {
    const value = block.values[row]?.[column];
    const fault = valueFault(value, field);
    return fault === undefined ? { value } : { fault };
  }
  return readTyped(block.texts[row]?.[column] ?? '', field, held, zone);
}

function named(
  names: readonly string[],
  resolved: Resolved | undefined,
  field: Field,
): { value: FieldValue | undefined } | { fault: string } {
  const found = names.map((name) => resolved?.get(name) ?? `"${name}" was not found`);
  const fault = found.find((one) => typeof one === 'string');
  if (fault !== undefined) return { fault };
  const values = found.filter((one): one is NamedValue => typeof one !== 'string');
  return { value: field.isMultiSelect ? values : values[0] };
}

/** Reads every cell of a pasted block: what it becomes, and what does not fit; names are looked up. */
export async function planPaste(asked: PasteAsked): Promise<readonly PasteCell[]> {
  const { block, rows, fields, sources, changes } = asked;
  const read = rows.flatMap((to, at) =>
    fields.slice(0, block.texts[at]?.length ?? 0).map((field, column) => {
      const before = heldIn(to, field, changes);
      const goes = changes.deletions.has(to.entryId) ? `${to.entryName} is to be deleted` : undefined;
      const locked = goes ?? lockedReason(field);
      const typed = locked === undefined ? readCell(asked, at, column, field, before) : { kept: locked };
      return { to, field, text: block.texts[at]?.[column] ?? '', before, typed };
    }),
  );
  const resolved = new Map<Field, Resolved>();
  for (const [field, cells] of Map.groupBy(read, (cell) => cell.field)) {
    const names = new Set(cells.flatMap(({ typed }) => ('names' in typed ? typed.names : [])));
    // oxlint-disable-next-line no-await-in-loop -- a service is asked one thing after the other
    if (names.size > 0) resolved.set(field, await resolveNames(field, sources, [...names]));
  }
  return read.map(({ typed, ...cell }): PasteCell => {
    const outcome = 'names' in typed ? named(typed.names, resolved.get(cell.field), cell.field) : typed;
    if (!('value' in outcome)) return { ...cell, outcome };
    return { ...cell, outcome: { value: outcome.value, isSame: sameValue(outcome.value, cell.before) } };
  });
}

/** The cells of a plan that change something, to be staged. */
export const stagedByPaste = (plan: readonly PasteCell[]): StagedCell[] =>
  plan.flatMap(({ to, field, before, outcome }) =>
    !('value' in outcome) || outcome.isSame
      ? []
      : [{ entryId: to.entryId, entryName: to.entryName, fieldId: field.id, before, value: outcome.value }],
  );
