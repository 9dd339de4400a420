import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import { sameValue } from './written.ts';

/** A cell that somebody has changed and not sent yet. Values are as they are read, so that names can be shown. */
export interface StagedCell {
  /** Negative for an entry that is to be made. */
  entryId: number;
  fieldId: number;
  /** How the entry is called where no row of it is at hand. */
  entryName: string;
  /** What the service held when it was changed; undefined for no data. */
  before: FieldValue | undefined;
  value: FieldValue | undefined;
  /** A text that was typed here and does not fit: kept until it is mended, and sent by nobody. */
  misfit?: Misfit | undefined;
}

export interface Misfit {
  text: string;
  fault: string;
}

/** An entry that is to go, and was not sent yet. */
export interface StagedDeletion {
  entryId: number;
  entryName: string;
  /** What of it stood there when somebody decided that. */
  seen: RowVm;
  /** The fields that were looked at. */
  fieldIds: readonly number[];
}

interface Move {
  entryId: number;
  fieldId: number;
  from: StagedCell | undefined;
  to: StagedCell | undefined;
}

/** An entry that is to go, or is to stay after all. */
export interface DeletionMove {
  entryId: number;
  from: StagedDeletion | undefined;
  to: StagedDeletion | undefined;
}

/** What is undone and redone as one: a cell, a paste, a restored moment, a selection that is to go. */
interface Step {
  label: string;
  moves: readonly Move[];
  deletions: readonly DeletionMove[];
}

/** A request whose answer did not come: what it was about may have been done. */
export interface Doubt {
  /** When it was sent. */
  at: number;
  /** What it was about: the values, or the entries that were to go after them. */
  part: 'values' | 'deletions';
  /** The new entries in it: sent once more, they may be made twice. */
  made: readonly number[];
}

/** What is staged for one entry, by field. */
export type EntryCells = ReadonlyMap<number, StagedCell>;

/** Everything staged for the entries of one type, with the way back. */
export interface Changes {
  /** By entry, then by field. */
  cells: ReadonlyMap<number, EntryCells>;
  /** By entry. What else is staged for an entry that is to go is kept, and not sent. */
  deletions: ReadonlyMap<number, StagedDeletion>;
  done: readonly Step[];
  undone: readonly Step[];
  /** Why the service refused cells and deletions, by `cellKey` and `deletionKey`; a change takes the fault away. */
  faults: ReadonlyMap<string, string>;
  /** From sending on until the service has answered, or somebody has decided what became of it. */
  doubt: Doubt | undefined;
}

export const NO_CHANGES: Changes = {
  cells: new Map(),
  deletions: new Map(),
  done: [],
  undone: [],
  faults: new Map(),
  doubt: undefined,
};

export const cellKey = ({ entryId, fieldId }: Pick<StagedCell, 'entryId' | 'fieldId'>): string =>
  `${entryId}/${fieldId}`;

export const deletionKey = (entryId: number): string => `${entryId}/deletion`;

/** As many steps back as a list shows at once, and enough for a day. */
const MOST_STEPS = 500;

/** The cells that are to be stored: what goes is not changed before. */
export const stagedIn = ({ cells, deletions }: Changes): StagedCell[] =>
  [...cells].flatMap(([entryId, entry]) => (deletions.has(entryId) ? [] : [...entry.values()]));

/** How much is staged: cells to be stored, in so many entries, and entries to go. */
export function countStaged({ cells, deletions }: Changes) {
  const count = { cells: 0, entries: 0, deletions: deletions.size };
  for (const [entryId, { size }] of cells) {
    if (deletions.has(entryId)) continue;
    count.cells += size;
    count.entries += 1;
  }
  return count;
}

/** Whether anything at all would be lost without it. */
export const hasStaged = ({ cells, deletions }: Changes): boolean => cells.size + deletions.size > 0;

/** Whether two cells stand for the same: of a text that does not fit, down to the letter. */
const sameCell = (a: StagedCell, b: StagedCell): boolean =>
  a.misfit?.text === b.misfit?.text && sameValue(a.value, b.value);

type Moves = Pick<Step, 'moves' | 'deletions'>;

/** Puts everything that a step moves where it was before it, or after it. */
export function move(changes: Changes, { moves, deletions }: Moves, side: 'from' | 'to'): Changes {
  const cells = new Map(changes.cells);
  const faults = new Map(changes.faults);
  const copied = new Map<number, Map<number, StagedCell>>();
  for (const one of moves) {
    const entry = copied.get(one.entryId) ?? new Map(cells.get(one.entryId));
    copied.set(one.entryId, entry);
    const cell = one[side];
    if (cell) entry.set(one.fieldId, cell);
    else entry.delete(one.fieldId);
    faults.delete(cellKey(one));
  }
  for (const [entryId, entry] of copied) {
    if (entry.size > 0) cells.set(entryId, entry);
    else cells.delete(entryId);
  }
  const going = new Map(changes.deletions);
  for (const one of deletions) {
    const deletion = one[side];
    if (deletion) going.set(one.entryId, deletion);
    else going.delete(one.entryId);
    faults.delete(deletionKey(one.entryId));
  }
  return { ...changes, cells, deletions: going, faults };
}

/** Takes a step that can be undone. */
export function take(
  changes: Changes,
  { moves = [], deletions = [] }: Partial<Moves>,
  label: string,
): Changes {
  if (moves.length + deletions.length === 0) return changes;
  const step = { label, moves, deletions };
  return {
    ...move(changes, step, 'to'),
    done: [...changes.done, step].slice(-MOST_STEPS),
    undone: [],
  };
}

/** Stages cells as one step. A cell keeps what the service held at first; one that has that again is staged no more. */
export function stage(changes: Changes, cells: readonly StagedCell[], label: string): Changes {
  // Of two values for one cell the last one counts.
  const last = new Map(cells.map((cell) => [cellKey(cell), cell]));
  const moves = [...last.values()].flatMap((cell): Move[] => {
    const { entryId, fieldId } = cell;
    const from = changes.cells.get(entryId)?.get(fieldId);
    const before = from ? from.before : cell.before;
    const isBack = !cell.misfit && sameValue(cell.value, before);
    if (from ? sameCell(from, cell) : isBack) return [];
    const to = isBack ? undefined : { ...cell, before };
    return [{ entryId, fieldId, from, to }];
  });
  return take(changes, { moves }, label);
}

/** The moves that take cells out of what is staged. */
export const outOf = (
  changes: Changes,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
): readonly Move[] =>
  cells.flatMap(({ entryId, fieldId }) => {
    const from = changes.cells.get(entryId)?.get(fieldId);
    return from ? [{ entryId, fieldId, from, to: undefined }] : [];
  });

/** Takes cells out of what is staged, as a step that can be undone. */
export const unstage = (
  changes: Changes,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
  label: string,
): Changes => take(changes, { moves: outOf(changes, cells) }, label);

/** Says that the service holds something else than when cells were changed, and that the change is meant all the same. */
export function rebase(
  changes: Changes,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId' | 'before'>[],
): Changes {
  const moves = cells.flatMap(({ entryId, fieldId, before }): Move[] => {
    const from = changes.cells.get(entryId)?.get(fieldId);
    if (!from) return [];
    const isBack = !from.misfit && sameValue(from.value, before);
    return [{ entryId, fieldId, from, to: isBack ? undefined : { ...from, before } }];
  });
  return take(changes, { moves }, 'Keep what is yours');
}

export function undo(changes: Changes): Changes {
  const step = changes.done.at(-1);
  if (!step) return changes;
  return {
    ...move(changes, step, 'from'),
    done: changes.done.slice(0, -1),
    undone: [...changes.undone, step],
  };
}

export function redo(changes: Changes): Changes {
  const step = changes.undone.at(-1);
  if (!step) return changes;
  return {
    ...move(changes, step, 'to'),
    done: [...changes.done, step],
    undone: changes.undone.slice(0, -1),
  };
}

/** New entries that may be there already: they are not sent again before somebody has decided. */
export const inDoubt = ({ doubt, cells }: Changes): readonly number[] =>
  doubt?.made.filter((entryId) => cells.has(entryId)) ?? [];

/** The same with so many of the last steps as move that many values and entries in all; the last one in any case. */
export function lastSteps(changes: Changes, most: number): Changes {
  let left = most;
  const fits = ({ moves, deletions }: Step, at: number) => {
    left -= moves.length + deletions.length;
    return left >= 0 || at === 0;
  };
  const lastOf = (steps: readonly Step[]) => {
    const end = steps.toReversed().findIndex((step, at) => !fits(step, at));
    return end === -1 ? steps : steps.slice(-end);
  };
  return { ...changes, done: lastOf(changes.done), undone: lastOf(changes.undone) };
}

const NONE_MADE: ReadonlyMap<number, number> = new Map();

/**
 * After cells were stored they are staged no more, and no step goes back behind them. What was changed while they were
 * on their way stays, against what was stored; of an entry that was `made` by it under the id that it has now.
 */
export function settled(
  changes: Changes,
  sent: readonly StagedCell[],
  made: ReadonlyMap<number, number> = NONE_MADE,
): Changes {
  const stored = new Map(sent.map((cell) => [cellKey(cell), cell]));
  const moves = sent.flatMap((cell): Move[] => {
    const { entryId, fieldId, value, before } = cell;
    const from = changes.cells.get(entryId)?.get(fieldId);
    // Taken back on the way: what was stored all the same is to be changed again.
    const id = made.get(entryId) ?? entryId;
    if (!from && id > 0)
      return [{ entryId: id, fieldId, from, to: { ...cell, entryId: id, before: value, value: before } }];
    if (!from || made.has(entryId)) return [];
    const to = !from.misfit && sameValue(from.value, value) ? undefined : { ...from, before: value };
    return [{ entryId, fieldId, from, to }];
  });
  const renamed = [...made].flatMap(([from, to]) =>
    [...(changes.cells.get(from)?.values() ?? [])].flatMap((cell) =>
      underId(cell, to, stored.get(cellKey(cell))?.value),
    ),
  );
  const after = move(changes, { moves: [...moves, ...renamed], deletions: [] }, 'to');
  return { ...after, done: [], undone: [], doubt: undefined };
}

/** Moves a cell of an entry that was made under the id of it, where it holds something else than what was stored. */
function underId(from: StagedCell, entryId: number, stored: FieldValue | undefined): Move[] {
  const { fieldId } = from;
  const gone: Move = { entryId: from.entryId, fieldId, from, to: undefined };
  if (!from.misfit && sameValue(from.value, stored)) return [gone];
  return [gone, { entryId, fieldId, from: undefined, to: { ...from, entryId, before: stored } }];
}

/** What has to be staged so that entries hold again what they held before these cells were stored. */
export const inverse = (sent: readonly StagedCell[]): StagedCell[] =>
  sent
    .filter(({ entryId }) => entryId > 0)
    .map((cell) => ({ ...cell, before: cell.value, value: cell.before }));
