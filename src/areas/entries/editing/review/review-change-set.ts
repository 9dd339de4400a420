import type { FieldValue } from '../../../../../contract/generated/types.gen.ts';
import type { Field } from '../../model/schema.ts';
import { formatItem, toItems } from '../../model/values.ts';
import { getCellKey, countStaged, getDeletionKey } from '../change-set.ts';
import type { ChangeSet, EntryCells, StagedCell, StagedDeletion } from '../change-set.ts';
import { isConflict, isAlreadyStored } from '../current-cells.ts';
import type { CurrentCell } from '../current-cells.ts';
import type { AuthoredConflict } from '../pending-deletions.ts';
import { findMissingValues, getValueError } from '../value-rules.ts';

/** A staged cell with its validation. */
export interface ReviewedCell {
  cell: StagedCell;
  /** Undefined if the field was deleted. */
  field: Field | undefined;
  /** Validation error found here or reported by the service. */
  error: string | undefined;
  /** The conflicting stored value of someone else. */
  theirs: CurrentCell | undefined;
}

/** The staged cells of one entry with their validation. */
export interface ReviewedEntry {
  entryId: number;
  name: string;
  cells: readonly ReviewedCell[];
  /** Messages about required fields without a value that are not staged. */
  missingMessages: readonly string[];
}

/** A staged deletion with its state. */
export interface ReviewedDeletion {
  deletion: StagedDeletion;
  /** The service's reason for not deleting it. */
  error: string | undefined;
  /** Changes since it was staged; undefined if there are none or they are not loaded yet. */
  conflict: AuthoredConflict | undefined;
}

type CurrentCells = ReadonlyMap<string, CurrentCell>;

/** Values of an entry before and after saving, as far as they are known. */
function getBeforeAndAfter(
  entryId: number,
  staged: EntryCells,
  fields: readonly Field[],
  currentCells: CurrentCells,
) {
  const before = new Map<number, FieldValue | undefined>();
  for (const { id } of fields) {
    const current = currentCells.get(getCellKey({ entryId, fieldId: id }));
    if (current) before.set(id, current.value);
    else if (entryId < 0) before.set(id, undefined);
  }
  const after = new Map([
    ...before,
    ...[...staged.values()].map(({ fieldId, value }) => [fieldId, value] as const),
  ]);
  return { before: entryId < 0 ? undefined : before, after };
}

/** The staged name of a new entry. */
function getNewEntryName(staged: EntryCells, fields: readonly Field[]): string | undefined {
  const key = fields.find(({ isKey }) => isKey);
  const cell = key && staged.get(key.id);
  if (!key || !cell || cell.entryId > 0) return undefined;
  const [name] = toItems(cell.value);
  return name === undefined ? undefined : formatItem(name, key).slice(0, MAX_NAME_CHARS);
}

const MAX_NAME_CHARS = 200;

function reviewEntry(
  entryId: number,
  staged: EntryCells,
  fields: readonly Field[],
  { errors }: ChangeSet,
  currentCells: CurrentCells,
): ReviewedEntry {
  const { before, after } = getBeforeAndAfter(entryId, staged, fields, currentCells);
  const missing = findMissingValues(fields, before, after);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const cells = [...staged.values()].map((cell): ReviewedCell => {
    const field = byId.get(cell.fieldId);
    const current = currentCells.get(getCellKey(cell));
    const deletedError = field ? undefined : 'This field was deleted. Remove the change.';
    return {
      cell,
      field,
      error:
        deletedError ??
        cell.invalidInput?.error ??
        missing.get(cell.fieldId) ??
        (field && getValueError(cell.value, field)) ??
        errors.get(getCellKey(cell)),
      // A deleted field leaves nothing to decide.
      theirs: field && isConflict(cell, current) ? current : undefined,
    };
  });
  const missingMessages = [...missing]
    .filter(([fieldId]) => !staged.has(fieldId))
    .map(([, message]) => message);
  const name = getNewEntryName(staged, fields) ?? cells[0]?.cell.entryName ?? `Entry ${entryId}`;
  return { entryId, name, cells, missingMessages };
}

/** Validates a change set: its entries and deletions, conflicts, and errors that block saving. */
export function reviewChangeSet(
  changes: ChangeSet,
  fields: readonly Field[],
  currentCells: CurrentCells,
  deletionConflicts: ReadonlyMap<number, AuthoredConflict>,
) {
  const entries = [...changes.cells]
    .filter(([entryId]) => !changes.deletions.has(entryId))
    .map(([entryId, staged]) => reviewEntry(entryId, staged, fields, changes, currentCells));
  const deletions = [...changes.deletions.values()].map((deletion): ReviewedDeletion => ({
    deletion,
    error: changes.errors.get(getDeletionKey(deletion.entryId)),
    conflict: deletionConflicts.get(deletion.entryId),
  }));
  const reviewedCells = entries.flatMap(({ cells }) => cells);
  const localErrors = reviewedCells.filter(
    ({ cell, error }) => error !== undefined && changes.errors.get(getCellKey(cell)) !== error,
  );
  return {
    entries,
    deletions,
    total: countStaged(changes),
    conflicts: reviewedCells.filter(({ theirs }) => theirs !== undefined),
    /** Cells whose staged value is stored already. */
    alreadyStored: reviewedCells.filter(({ cell }) =>
      isAlreadyStored(cell, currentCells.get(getCellKey(cell))),
    ),
    /** Number of errors found here; errors of the service may be outdated and do not block. */
    blockingCount:
      localErrors.length + entries.reduce((sum, { missingMessages }) => sum + missingMessages.length, 0),
  };
}
