import type { FieldValue, NamedValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { countCells } from '../../../ui/cell-navigation.ts';
import type { CellRange } from '../../../ui/cell-navigation.ts';
import type { Field } from '../model/schema.ts';
import { getValue, isSameValue } from '../model/values.ts';
import type { ChangeSet, StagedCell } from './change-set.ts';
import { parseInput } from './parse-input.ts';
import type { ParsedInput } from './parse-input.ts';
import { resolveNames } from './value-options.ts';
import type { ResolvedNames, Sources } from './value-options.ts';
import { getLockedReason, getValueError } from './value-rules.ts';

/** A copied block of cells: their texts, and their values if they were copied on this page. */
export interface CellBlock {
  texts: readonly (readonly string[])[];
  values?: readonly (readonly (FieldValue | undefined)[])[];
  /** Field ids of the values by column. */
  fieldIds?: readonly number[];
}

/** The single text of a block that fills a selected range; undefined for a larger block. */
function getFillText({ texts }: CellBlock, range: CellRange): string | undefined {
  const [text, ...others] = texts.flat();
  return others.length === 0 && countCells(range) > 1 ? text : undefined;
}

/** Repeats a single cell over the selected range; larger blocks start at its first cell. */
export function fillRange(block: CellBlock, range: CellRange): CellBlock {
  const text = getFillText(block, range);
  if (text === undefined) return block;
  const { values, fieldIds } = block;
  const width = range.right - range.left + 1;
  const repeat = <Item>(item: Item) =>
    Array.from({ length: range.bottom - range.top + 1 }, () => Array.from({ length: width }, () => item));
  const [fieldId = 0] = fieldIds ?? [];
  return {
    texts: repeat(text),
    ...(values && {
      values: repeat(values[0]?.[0]),
      fieldIds: Array.from({ length: width }, () => fieldId),
    }),
  };
}

/** Number of cells that a paste writes: a single text fills the range. */
export const countPastedCells = (block: CellBlock, range: CellRange): number =>
  getFillText(block, range) === undefined ? block.texts.flat().length : countCells(range);

/** Target row of a pasted row. */
export interface PasteRow {
  /** Negative for a new entry. */
  entryId: number;
  entryName: string;
  row: RowVm | undefined;
  /** The row is below the last one and becomes a new entry if the user wants that. */
  isNew?: boolean;
}

/** A cell of a paste with its outcome: a value, an error, or the reason why it cannot be edited. */
export interface PasteCell {
  target: PasteRow;
  field: Field;
  text: string;
  before: FieldValue | undefined;
  outcome: { value: FieldValue | undefined; isSame: boolean } | { error: string } | { locked: string };
}

export interface PasteInput {
  block: CellBlock;
  rows: readonly PasteRow[];
  fields: readonly Field[];
  sources: Sources;
  changes: ChangeSet;
  zone: string;
}

const getCurrentValue = (
  { row, entryId }: PasteRow,
  field: Field,
  changes: ChangeSet,
): FieldValue | undefined => {
  const staged = changes.cells.get(entryId)?.get(field.id);
  return staged ? staged.value : row && getValue(row, field);
};

/** Parses a pasted cell. Values copied on this page are taken unchanged if they return to the same field. */
function parseCell(
  input: PasteInput,
  row: number,
  column: number,
  field: Field,
  currentValue: FieldValue | undefined,
): ParsedInput {
  const { block, zone } = input;
  if (block.values && block.fieldIds?.[column] === field.id) {
    const value = block.values[row]?.[column];
    const error = getValueError(value, field);
    return error === undefined ? { value } : { error };
  }
  return parseInput(block.texts[row]?.[column] ?? '', field, currentValue, zone);
}

function resolveValue(
  names: readonly string[],
  resolved: ResolvedNames | undefined,
  field: Field,
): { value: FieldValue | undefined } | { error: string } {
  const found = names.map((name) => resolved?.get(name) ?? `"${name}" was not found`);
  const error = found.find((item) => typeof item === 'string');
  if (error !== undefined) return { error };
  const values = found.filter((item): item is NamedValue => typeof item !== 'string');
  return { value: field.isMultiSelect ? values : values[0] };
}

/** Plans a paste: parses and validates every cell and looks names up. @throws ServiceError */
export async function planPaste(input: PasteInput): Promise<readonly PasteCell[]> {
  const { block, rows, fields, sources, changes } = input;
  const cells = rows.flatMap((target, row) =>
    fields.slice(0, block.texts[row]?.length ?? 0).map((field, column) => {
      const before = getCurrentValue(target, field, changes);
      const isDeleted = changes.deletions.has(target.entryId);
      const locked = isDeleted ? `${target.entryName} will be deleted` : getLockedReason(field);
      const parsed = locked === undefined ? parseCell(input, row, column, field, before) : { locked };
      return { target, field, text: block.texts[row]?.[column] ?? '', before, parsed };
    }),
  );
  const resolved = new Map<Field, ResolvedNames>();
  for (const [field, fieldCells] of Map.groupBy(cells, (cell) => cell.field)) {
    const names = new Set(fieldCells.flatMap(({ parsed }) => ('names' in parsed ? parsed.names : [])));
    // Sequential, to limit the load on the service.
    if (names.size > 0) resolved.set(field, await resolveNames(field, sources, [...names]));
  }
  return cells.map(({ parsed, ...cell }): PasteCell => {
    const outcome =
      'names' in parsed ? resolveValue(parsed.names, resolved.get(cell.field), cell.field) : parsed;
    if (!('value' in outcome)) return { ...cell, outcome };
    return { ...cell, outcome: { value: outcome.value, isSame: isSameValue(outcome.value, cell.before) } };
  });
}

/** The cells of a plan to stage: valid ones whose value changes. */
export const toStagedCells = (plan: readonly PasteCell[]): StagedCell[] =>
  plan.flatMap(({ target, field, before, outcome }) =>
    !('value' in outcome) || outcome.isSame
      ? []
      : [
          {
            entryId: target.entryId,
            entryName: target.entryName,
            fieldId: field.id,
            before,
            value: outcome.value,
          },
        ],
  );
