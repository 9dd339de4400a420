import type { FieldValue } from '../../api/generated/types.gen.ts';
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

interface Move {
  entryId: number;
  fieldId: number;
  from: StagedCell | undefined;
  to: StagedCell | undefined;
}

/** What is undone and redone as one: a cell, a paste, a restored moment. */
interface Step {
  label: string;
  moves: readonly Move[];
}

/** What is staged for one entry, by field. */
export type EntryCells = ReadonlyMap<number, StagedCell>;

/** Everything staged for the entries of one type, with the way back. */
export interface Changes {
  /** By entry, then by field. */
  cells: ReadonlyMap<number, EntryCells>;
  done: readonly Step[];
  undone: readonly Step[];
  /** Why the service refused cells, by `cellKey`; whoever changes a cell takes its fault away. */
  faults: ReadonlyMap<string, string>;
}

export const NO_CHANGES: Changes = { cells: new Map(), done: [], undone: [], faults: new Map() };

export const cellKey = ({ entryId, fieldId }: Pick<StagedCell, 'entryId' | 'fieldId'>): string =>
  `${entryId}/${fieldId}`;

/** As many steps back as a list shows at once, and enough for a day. */
const MOST_STEPS = 500;

export const stagedIn = ({ cells }: Changes): StagedCell[] =>
  [...cells.values()].flatMap((entry) => [...entry.values()]);

export const countStaged = ({ cells }: Changes): number =>
  [...cells.values()].reduce((sum, { size }) => sum + size, 0);

/** Whether two cells stand for the same: of a text that does not fit, down to the letter. */
const sameCell = (a: StagedCell, b: StagedCell): boolean =>
  a.misfit?.text === b.misfit?.text && sameValue(a.value, b.value);

function moveCells(changes: Changes, moves: readonly Move[], side: 'from' | 'to'): Changes {
  const cells = new Map(changes.cells);
  const faults = new Map(changes.faults);
  const copied = new Map<number, Map<number, StagedCell>>();
  for (const move of moves) {
    const entry = copied.get(move.entryId) ?? new Map(cells.get(move.entryId));
    copied.set(move.entryId, entry);
    const cell = move[side];
    if (cell) entry.set(move.fieldId, cell);
    else entry.delete(move.fieldId);
    faults.delete(cellKey(move));
  }
  for (const [entryId, entry] of copied) {
    if (entry.size > 0) cells.set(entryId, entry);
    else cells.delete(entryId);
  }
  return { ...changes, cells, faults };
}

function take(changes: Changes, moves: readonly Move[], label: string): Changes {
  if (moves.length === 0) return changes;
  const step = { label, moves };
  return {
    ...moveCells(changes, moves, 'to'),
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
  return take(changes, moves, label);
}

/** Takes cells out of what is staged, as a step that can be undone. */
export function unstage(
  changes: Changes,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
  label: string,
): Changes {
  const moves = cells.flatMap(({ entryId, fieldId }): Move[] => {
    const from = changes.cells.get(entryId)?.get(fieldId);
    return from ? [{ entryId, fieldId, from, to: undefined }] : [];
  });
  return take(changes, moves, label);
}

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
  return take(changes, moves, 'Keep what is yours');
}

export function undo(changes: Changes): Changes {
  const step = changes.done.at(-1);
  if (!step) return changes;
  return {
    ...moveCells(changes, step.moves, 'from'),
    done: changes.done.slice(0, -1),
    undone: [...changes.undone, step],
  };
}

export function redo(changes: Changes): Changes {
  const step = changes.undone.at(-1);
  if (!step) return changes;
  return {
    ...moveCells(changes, step.moves, 'to'),
    done: [...changes.done, step],
    undone: changes.undone.slice(0, -1),
  };
}

/**
 * After cells were stored they are staged no more, and no step goes back behind them. What was changed while they were
 * on their way stays, against what was stored.
 */
export function settled(changes: Changes, sent: readonly StagedCell[]): Changes {
  const moves = sent.flatMap((cell): Move[] => {
    const { entryId, fieldId, value, before } = cell;
    const from = changes.cells.get(entryId)?.get(fieldId);
    // Taken back on the way: what was stored all the same is to be changed again.
    if (!from && entryId > 0)
      return [{ entryId, fieldId, from, to: { ...cell, before: value, value: before } }];
    if (!from) return [];
    const to = !from.misfit && sameValue(from.value, value) ? undefined : { ...from, before: value };
    return [{ entryId, fieldId, from, to }];
  });
  return { ...moveCells(changes, moves, 'to'), done: [], undone: [] };
}

/** What has to be staged so that entries hold again what they held before these cells were stored. */
export const inverse = (sent: readonly StagedCell[]): StagedCell[] =>
  sent
    .filter(({ entryId }) => entryId > 0)
    .map((cell) => ({ ...cell, before: cell.value, value: cell.before }));
