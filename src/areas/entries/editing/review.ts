import type { FieldValue } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { itemText, itemsOf } from '../model/values.ts';
import { cellKey, countStaged, deletionKey } from './changes.ts';
import type { Changes, EntryCells, StagedCell, StagedDeletion } from './changes.ts';
import { missingIn, valueFault } from './rules.ts';
import type { Meanwhile } from './use-going.ts';
import { isOvertaken, isThere } from './use-current.ts';
import type { Current } from './use-current.ts';

/** A staged cell as it is reviewed. */
export interface Reviewed {
  cell: StagedCell;
  /** Undefined for a field that somebody has deleted meanwhile. */
  field: Field | undefined;
  /** What is wrong with it, as far as it is known here or was told by the service. */
  fault: string | undefined;
  /** What somebody else has made of it. */
  theirs: Current | undefined;
}

/** The staged cells of one entry. */
export interface ReviewedEntry {
  entryId: number;
  name: string;
  cells: readonly Reviewed[];
  /** What the entry lacks in fields that nobody has touched. */
  lacks: readonly string[];
}

/** An entry that is to go, as it is reviewed. */
export interface ReviewedDeletion {
  deletion: StagedDeletion;
  /** Why the service has not deleted it. */
  fault: string | undefined;
  /** What has become of it since somebody decided that; undefined where nothing has, or nobody has looked yet. */
  meanwhile: Meanwhile | undefined;
}

type Currents = ReadonlyMap<string, Current>;

/** The values of an entry as it is and as it would be, as far as they are known. */
function valuesOf(entryId: number, staged: EntryCells, fields: readonly Field[], currents: Currents) {
  const before = new Map<number, FieldValue | undefined>();
  for (const { id } of fields) {
    const current = currents.get(cellKey({ entryId, fieldId: id }));
    if (current) before.set(id, current.value);
    else if (entryId < 0) before.set(id, undefined);
  }
  const after = new Map([
    ...before,
    ...[...staged.values()].map(({ fieldId, value }) => [fieldId, value] as const),
  ]);
  return { before: entryId < 0 ? undefined : before, after };
}

/** A new entry is called as its name is staged by now. */
function newName(staged: EntryCells, fields: readonly Field[]): string | undefined {
  const key = fields.find(({ isKey }) => isKey);
  const cell = key && staged.get(key.id);
  if (!key || !cell || cell.entryId > 0) return undefined;
  const [name] = itemsOf(cell.value);
  return name === undefined ? undefined : itemText(name, key).slice(0, MOST_NAME);
}

const MOST_NAME = 200;

function reviewEntry(
  entryId: number,
  staged: EntryCells,
  fields: readonly Field[],
  { faults }: Changes,
  currents: Currents,
): ReviewedEntry {
  const { before, after } = valuesOf(entryId, staged, fields, currents);
  const missing = missingIn(fields, before, after);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const cells = [...staged.values()].map((cell): Reviewed => {
    const field = byId.get(cell.fieldId);
    const current = currents.get(cellKey(cell));
    const gone = field ? undefined : 'This field was deleted meanwhile: remove the change';
    return {
      cell,
      field,
      fault:
        gone ??
        cell.misfit?.fault ??
        missing.get(cell.fieldId) ??
        (field && valueFault(cell.value, field)) ??
        faults.get(cellKey(cell)),
      // Of a field that is gone there is nothing to decide.
      theirs: field && isOvertaken(cell, current) ? current : undefined,
    };
  });
  const lacks = [...missing].filter(([fieldId]) => !staged.has(fieldId)).map(([, message]) => message);
  const name = newName(staged, fields) ?? cells[0]?.cell.entryName ?? `Entry ${entryId}`;
  return { entryId, name, cells, lacks };
}

/** Everything that is staged, with what stands in the way of saving it. */
export function review(
  changes: Changes,
  fields: readonly Field[],
  currents: Currents,
  meanwhile: ReadonlyMap<number, Meanwhile>,
) {
  const entries = [...changes.cells]
    .filter(([entryId]) => !changes.deletions.has(entryId))
    .map(([entryId, staged]) => reviewEntry(entryId, staged, fields, changes, currents));
  const deletions = [...changes.deletions.values()].map((deletion): ReviewedDeletion => ({
    deletion,
    fault: changes.faults.get(deletionKey(deletion.entryId)),
    meanwhile: meanwhile.get(deletion.entryId),
  }));
  const all = entries.flatMap(({ cells }) => cells);
  const known = all.filter(
    ({ cell, fault }) => fault !== undefined && changes.faults.get(cellKey(cell)) !== fault,
  );
  return {
    entries,
    deletions,
    total: countStaged(changes),
    overtaken: all.filter(({ theirs }) => theirs !== undefined),
    /** Cells that hold already what is staged for them: somebody else wrote the same, or it was saved unanswered. */
    there: all.filter(({ cell }) => isThere(cell, currents.get(cellKey(cell)))),
    /** Faults that sending would meet again; what the service said may have changed since. */
    blocking: known.length + entries.reduce((sum, { lacks }) => sum + lacks.length, 0),
  };
}
