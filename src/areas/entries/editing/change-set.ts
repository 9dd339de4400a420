import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { isSameValue } from '../model/values.ts';

/** A cell with a staged value that is not sent yet. Values have the form in which they are read, so that names can be shown. */
export interface StagedCell {
  /** Negative for a new entry. */
  entryId: number;
  fieldId: number;
  /** Name of the entry for places where its row is not loaded. */
  entryName: string;
  /** The stored value when the cell was edited; undefined for no data. */
  before: FieldValue | undefined;
  value: FieldValue | undefined;
  /** Typed text that is not a valid value: kept until it is corrected, never sent. */
  invalidInput?: InvalidInput | undefined;
}

export interface InvalidInput {
  text: string;
  error: string;
}

/** A staged deletion of an entry. */
export interface StagedDeletion {
  entryId: number;
  entryName: string;
  /** The row as it was displayed when the deletion was staged. */
  row: RowVm;
  /** Ids of the fields that were displayed. */
  fieldIds: readonly number[];
}

interface CellMove {
  entryId: number;
  fieldId: number;
  from: StagedCell | undefined;
  to: StagedCell | undefined;
}

/** Staging or unstaging of a deletion. */
interface DeletionMove {
  entryId: number;
  from: StagedDeletion | undefined;
  to: StagedDeletion | undefined;
}

/** A unit of undo and redo: an edited cell, a paste, a restored state, a deleted selection. */
interface Step {
  label: string;
  moves: readonly CellMove[];
  deletions: readonly DeletionMove[];
}

/** A request that was sent and not answered: its changes may have been stored. */
export interface UnconfirmedRequest {
  /** Time in milliseconds since the epoch. */
  sentAt: number;
  /** Whether it stored values or, after them, deleted entries. */
  part: 'values' | 'deletions';
  /** Ids of the new entries in it, which sending again might create twice. */
  newEntryIds: readonly number[];
}

/** Staged cells of one entry by field id. */
export type EntryCells = ReadonlyMap<number, StagedCell>;

/** The staged changes of the entries of one type, with undo and redo steps. */
export interface ChangeSet {
  /** By entry id, then by field id. */
  cells: ReadonlyMap<number, EntryCells>;
  /** By entry id. Staged cells of an entry to be deleted are kept but not sent. */
  deletions: ReadonlyMap<number, StagedDeletion>;
  undoSteps: readonly Step[];
  redoSteps: readonly Step[];
  /** Errors of the service by `getCellKey` and `getDeletionKey`; changing a cell removes its error. */
  errors: ReadonlyMap<string, string>;
  /** Set when a request is sent, until the service answers or the user decides what became of it. */
  unconfirmed: UnconfirmedRequest | undefined;
}

export const EMPTY_CHANGE_SET: ChangeSet = {
  cells: new Map(),
  deletions: new Map(),
  undoSteps: [],
  redoSteps: [],
  errors: new Map(),
  unconfirmed: undefined,
};

export const getCellKey = ({ entryId, fieldId }: Pick<StagedCell, 'entryId' | 'fieldId'>): string =>
  `${entryId}/${fieldId}`;

export const getDeletionKey = (entryId: number): string => `${entryId}/deletion`;

const MAX_UNDO_STEPS = 500;

/** Staged cells to be stored, without those of entries to be deleted. */
export const getStagedCells = ({ cells, deletions }: ChangeSet): StagedCell[] =>
  [...cells].flatMap(([entryId, entry]) => (deletions.has(entryId) ? [] : [...entry.values()]));

/** Number of cells to store, of entries they belong to, and of entries to delete. */
export function countStaged({ cells, deletions }: ChangeSet) {
  const count = { cells: 0, entries: 0, deletions: deletions.size };
  for (const [entryId, { size }] of cells) {
    if (deletions.has(entryId)) continue;
    count.cells += size;
    count.entries += 1;
  }
  return count;
}

/** Whether anything is staged. */
export const hasStagedChanges = ({ cells, deletions }: ChangeSet): boolean => cells.size + deletions.size > 0;

/** Whether two staged cells have the same value, or exactly the same invalid text. */
const isSameCell = (a: StagedCell, b: StagedCell): boolean =>
  a.invalidInput?.text === b.invalidInput?.text && isSameValue(a.value, b.value);

type Moves = Pick<Step, 'moves' | 'deletions'>;

/** Applies a step forwards (`to`) or backwards (`from`). */
function applyMoves(changes: ChangeSet, { moves, deletions }: Moves, side: 'from' | 'to'): ChangeSet {
  const cells = new Map(changes.cells);
  const errors = new Map(changes.errors);
  const copied = new Map<number, Map<number, StagedCell>>();
  for (const move of moves) {
    const entry = copied.get(move.entryId) ?? new Map(cells.get(move.entryId));
    copied.set(move.entryId, entry);
    const cell = move[side];
    if (cell) entry.set(move.fieldId, cell);
    else entry.delete(move.fieldId);
    errors.delete(getCellKey(move));
  }
  for (const [entryId, entry] of copied) {
    if (entry.size > 0) cells.set(entryId, entry);
    else cells.delete(entryId);
  }
  const stagedDeletions = new Map(changes.deletions);
  for (const move of deletions) {
    const deletion = move[side];
    if (deletion) stagedDeletions.set(move.entryId, deletion);
    else stagedDeletions.delete(move.entryId);
    errors.delete(getDeletionKey(move.entryId));
  }
  return { ...changes, cells, deletions: stagedDeletions, errors };
}

/** Applies a step and records it for undo. */
function applyStep(
  changes: ChangeSet,
  { moves = [], deletions = [] }: Partial<Moves>,
  label: string,
): ChangeSet {
  if (moves.length + deletions.length === 0) return changes;
  const step = { label, moves, deletions };
  return {
    ...applyMoves(changes, step, 'to'),
    undoSteps: [...changes.undoSteps, step].slice(-MAX_UNDO_STEPS),
    redoSteps: [],
  };
}

/**
 * Stages cells as one step. A cell that is already staged keeps its original `before`; a cell that returns to it is
 * unstaged.
 */
export function stage(changes: ChangeSet, cells: readonly StagedCell[], label: string): ChangeSet {
  // The last of several values for a cell wins.
  const cellsByKey = new Map(cells.map((cell) => [getCellKey(cell), cell]));
  const moves = [...cellsByKey.values()].flatMap((cell): CellMove[] => {
    const { entryId, fieldId } = cell;
    const from = changes.cells.get(entryId)?.get(fieldId);
    const before = from ? from.before : cell.before;
    const isReverted = !cell.invalidInput && isSameValue(cell.value, before);
    if (from ? isSameCell(from, cell) : isReverted) return [];
    const to = isReverted ? undefined : { ...cell, before };
    return [{ entryId, fieldId, from, to }];
  });
  return applyStep(changes, { moves }, label);
}

/** Moves that unstage cells. */
const createRemovals = (
  changes: ChangeSet,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
): readonly CellMove[] =>
  cells.flatMap(({ entryId, fieldId }) => {
    const from = changes.cells.get(entryId)?.get(fieldId);
    return from ? [{ entryId, fieldId, from, to: undefined }] : [];
  });

/** Unstages cells as one step. */
export const unstage = (
  changes: ChangeSet,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
  label: string,
): ChangeSet => applyStep(changes, { moves: createRemovals(changes, cells) }, label);

/** Replaces the `before` of staged cells by the value stored now, which resolves conflicts in favor of the staged values. */
export function rebase(
  changes: ChangeSet,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId' | 'before'>[],
): ChangeSet {
  const moves = cells.flatMap(({ entryId, fieldId, before }): CellMove[] => {
    const from = changes.cells.get(entryId)?.get(fieldId);
    if (!from) return [];
    const isReverted = !from.invalidInput && isSameValue(from.value, before);
    return [{ entryId, fieldId, from, to: isReverted ? undefined : { ...from, before } }];
  });
  return applyStep(changes, { moves }, 'Keep your values');
}

export function undo(changes: ChangeSet): ChangeSet {
  const step = changes.undoSteps.at(-1);
  if (!step) return changes;
  return {
    ...applyMoves(changes, step, 'from'),
    undoSteps: changes.undoSteps.slice(0, -1),
    redoSteps: [...changes.redoSteps, step],
  };
}

export function redo(changes: ChangeSet): ChangeSet {
  const step = changes.redoSteps.at(-1);
  if (!step) return changes;
  return {
    ...applyMoves(changes, step, 'to'),
    undoSteps: [...changes.undoSteps, step],
    redoSteps: changes.redoSteps.slice(0, -1),
  };
}

/** New entries that an unanswered request may have created; they are not sent again before the user decides. */
export const getUnconfirmedNewIds = ({ unconfirmed, cells }: ChangeSet): readonly number[] =>
  unconfirmed?.newEntryIds.filter((entryId) => cells.has(entryId)) ?? [];

/** Drops the oldest undo and redo steps beyond a number of moves in total; keeps at least the last step of each. */
export function limitSteps(changes: ChangeSet, maxMoves: number): ChangeSet {
  let remaining = maxMoves;
  const fits = ({ moves, deletions }: Step, index: number) => {
    remaining -= moves.length + deletions.length;
    return remaining >= 0 || index === 0;
  };
  const limit = (steps: readonly Step[]) => {
    const end = steps.toReversed().findIndex((step, index) => !fits(step, index));
    return end === -1 ? steps : steps.slice(-end);
  };
  return { ...changes, undoSteps: limit(changes.undoSteps), redoSteps: limit(changes.redoSteps) };
}

const NO_NEW_IDS: ReadonlyMap<number, number> = new Map();

/**
 * Applies the result of a request that stored cells: unstages them and clears undo and redo. Cells edited while the
 * request was running stay staged relative to the stored values; cells of created entries move to the new ids.
 * @param newIds ids of created entries by their staged ids
 */
export function applyStored(
  changes: ChangeSet,
  sent: readonly StagedCell[],
  newIds: ReadonlyMap<number, number> = NO_NEW_IDS,
): ChangeSet {
  const stored = new Map(sent.map((cell) => [getCellKey(cell), cell]));
  const moves = sent.flatMap((cell): CellMove[] => {
    const { entryId, fieldId, value, before } = cell;
    const from = changes.cells.get(entryId)?.get(fieldId);
    // Unstaged while the request was running: the stored value has to be changed back.
    const id = newIds.get(entryId) ?? entryId;
    if (!from && id > 0)
      return [{ entryId: id, fieldId, from, to: { ...cell, entryId: id, before: value, value: before } }];
    if (!from || newIds.has(entryId)) return [];
    const to = !from.invalidInput && isSameValue(from.value, value) ? undefined : { ...from, before: value };
    return [{ entryId, fieldId, from, to }];
  });
  const movedCells = [...newIds].flatMap(([from, to]) =>
    [...(changes.cells.get(from)?.values() ?? [])].flatMap((cell) =>
      moveToId(cell, to, stored.get(getCellKey(cell))?.value),
    ),
  );
  const after = applyMoves(changes, { moves: [...moves, ...movedCells], deletions: [] }, 'to');
  return { ...after, undoSteps: [], redoSteps: [], unconfirmed: undefined };
}

/** Moves a cell of a created entry to its new id; unstages it if its value was stored. */
function moveToId(from: StagedCell, entryId: number, stored: FieldValue | undefined): CellMove[] {
  const { fieldId } = from;
  const removal: CellMove = { entryId: from.entryId, fieldId, from, to: undefined };
  if (!from.invalidInput && isSameValue(from.value, stored)) return [removal];
  return [removal, { entryId, fieldId, from: undefined, to: { ...from, entryId, before: stored } }];
}

/** Cells to stage so that existing entries get back the values they had before a request. */
export const createInverse = (sent: readonly StagedCell[]): StagedCell[] =>
  sent
    .filter(({ entryId }) => entryId > 0)
    .map((cell) => ({ ...cell, before: cell.value, value: cell.before }));

const getCellsOf = (changes: ChangeSet, entryIds: readonly number[]) =>
  entryIds.flatMap((entryId) => [...(changes.cells.get(entryId)?.values() ?? [])]);

/** Stages deletions as one step. New entries are unstaged instead, since the service does not know them. */
export function stageDeletions(
  changes: ChangeSet,
  entries: readonly StagedDeletion[],
  label: string,
): ChangeSet {
  const entriesById = new Map(entries.map((entry) => [entry.entryId, entry]));
  const newIds = [...entriesById.keys()].filter((entryId) => entryId < 0);
  const deletions = [...entriesById.values()]
    .filter(({ entryId }) => entryId > 0 && !changes.deletions.has(entryId))
    .map((to): DeletionMove => ({ entryId: to.entryId, from: undefined, to }));
  return applyStep(
    changes,
    { moves: createRemovals(changes, getCellsOf(changes, newIds)), deletions },
    label,
  );
}

/** Unstages deletions; staged cells of the entries are sent again. */
export function unstageDeletions(changes: ChangeSet, entryIds: readonly number[], label: string): ChangeSet {
  const deletions = entryIds.flatMap((entryId): DeletionMove[] => {
    const from = changes.deletions.get(entryId);
    return from ? [{ entryId, from, to: undefined }] : [];
  });
  return applyStep(changes, { deletions }, label);
}

/** Confirms deletions of entries that changed since: `row` becomes their current state. */
export function confirmDeletions(
  changes: ChangeSet,
  entries: readonly Pick<StagedDeletion, 'entryId' | 'row'>[],
): ChangeSet {
  const deletions = entries.flatMap(({ entryId, row }): DeletionMove[] => {
    const from = changes.deletions.get(entryId);
    return from ? [{ entryId, from, to: { ...from, row } }] : [];
  });
  return applyStep(changes, { deletions }, 'Delete anyway');
}

/** Unstages everything as one step. */
export function discard(changes: ChangeSet, label: string): ChangeSet {
  const moves = createRemovals(changes, getCellsOf(changes, [...changes.cells.keys()]));
  const deletions = [...changes.deletions].map(([entryId, from]) => ({ entryId, from, to: undefined }));
  return applyStep(changes, { moves, deletions }, label);
}

/** Applies the result of a request that deleted entries: unstages everything of them and clears undo and redo. */
export function applyDeleted(changes: ChangeSet, entryIds: readonly number[]): ChangeSet {
  const moves = createRemovals(changes, getCellsOf(changes, entryIds));
  const deletions = entryIds.map((entryId) => ({ entryId, from: undefined, to: undefined }));
  return {
    ...applyMoves(changes, { moves, deletions }, 'to'),
    undoSteps: [],
    redoSteps: [],
    unconfirmed: undefined,
  };
}
