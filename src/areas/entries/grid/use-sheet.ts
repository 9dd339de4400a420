import { useState, useRef } from 'react';
import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react';
import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { announce } from '../../../ui/feedback/live.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { Misfit } from '../editing/changes.ts';
import type { Onward } from '../editing/Editor.tsx';
import { redoStep, stageCells, undoStep } from '../editing/store.ts';
import type { EntryRows } from '../model/rows.ts';
import { actOf } from './grid-keys.ts';
import { movedBy } from './keys.ts';
import type { Bounds, Cell } from './keys.ts';
import { cellsIn, rangeOf } from './range.ts';
import type { Field } from '../model/schema.ts';
import { rowsAtHand, rowsBetween } from './rows-between.ts';
import { cellOf, refusalOf, shownIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import { useDeleteRows } from './use-delete-rows.ts';
import { isCut, wholeRows } from '../model/whole.ts';
import { toServiceError } from '../../../api/errors.ts';
import { toast } from '../../../ui/feedback/toast.ts';

/** A cell that is open: to be edited, or to say why it cannot be. */
export interface OpenCell extends Cell {
  entry: RowVm;
  /** Its column may go while it is open, and another one come to its place. */
  fieldId: number;
  value: FieldValue | undefined;
  seed: string | undefined;
  misfit: Misfit | undefined;
  refusal: string | undefined;
}

interface Sheet {
  rows: EntryRows;
  columns: readonly EntryColumn[];
  editing: Editing;
  current: Cell;
  bounds: Bounds;
  /** Moves the focus to a cell. */
  go: (to: Cell) => void;
  /** Brings a cell into view, and leaves the focus where it is. */
  reveal: (row: number, column: number) => void;
}

/** More is a bulk edit: what is cleared here is reviewed cell by cell. */
const MOST_CLEARED = 5000;

const STEPS: Record<Onward, Cell> = {
  stay: { row: 0, column: 0 },
  down: { row: 1, column: 0 },
  up: { row: -1, column: 0 },
  right: { row: 0, column: 1 },
  left: { row: 0, column: -1 },
};

const ONE_CHARACTER = /^[^ ]$/u;
const isPrintable = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ONE_CHARACTER.test(key) && !ctrlKey && !metaKey && !altKey;

/** The cell that something in the grid stands in. */
export const placeOf = (target: EventTarget): Cell | undefined => {
  const at = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return at ? { row: Number(at.dataset.row), column: Number(at.dataset.column) } : undefined;
};

/** What makes the grid a sheet: a range of cells, a cell that is edited, and the keys of both. */
export function useSheet({ rows, columns, editing, current, bounds, go, reveal }: Sheet) {
  const [far, setFar] = useState<{ from: Cell; to: Cell }>();
  const [opened, setOpen] = useState<OpenCell>();
  const open = opened && columns[opened.column]?.field.id === opened.fieldId ? opened : undefined;
  const [dragging, setDragging] = useState(false);
  const openWhole = useWholeCell();
  const { deleteRows } = useDeleteRows(editing.typeId, columns);
  const range = far ? rangeOf(far.from, far.to) : rangeOf(current, current);

  const extend = (to: Cell) => {
    setFar({ from: far?.from ?? current, to: { ...to, row: Math.max(0, to.row) } });
    reveal(Math.max(0, to.row), to.column);
  };
  const begin = (at: Cell, seed?: string) => {
    const entry = rows.at(at.row);
    const field = columns[at.column]?.field;
    if (!entry || !field) return;
    const refusal = refusalOf(editing, field, entry.EntryId);
    if (refusal !== undefined) announce(refusal);
    setFar(undefined);
    const misfit = editing.changes.cells.get(entry.EntryId)?.get(field.id)?.misfit;
    const show = (row: RowVm, typed: string | undefined) =>
      setOpen({
        ...at,
        entry: row,
        fieldId: field.id,
        value: shownIn(row, field, editing.changes),
        seed: typed,
        misfit,
        refusal,
      });
    if (refusal === undefined && isCut(entry, field)) openWhole({ entry, field, seed }, show);
    else show(entry, seed);
  };
  const close = (onward: Onward | undefined) => {
    // Another cell may be open by now: going there is what closes this one.
    setOpen((now) => (now === open ? undefined : now));
    if (!open || onward === 'stay') return;
    const step = STEPS[onward ?? 'stay'];
    go({
      row: Math.max(0, Math.min(bounds.rows - 1, open.row + step.row)),
      column: Math.max(0, Math.min(bounds.columns - 1, open.column + step.column)),
    });
  };
  const commit = (value: FieldValue | undefined, onward: Onward) => {
    const field = open && columns[open.column]?.field;
    if (open && field)
      stageCells(editing.typeId, [cellOf(open.entry, field, value, columns)], `Edit ${field.name}`);
    close(onward);
  };
  const misfit = (left: Misfit) => {
    const field = open && columns[open.column]?.field;
    if (open && field) {
      stageCells(
        editing.typeId,
        [cellOf(open.entry, field, open.value, columns, left)],
        `Type into ${field.name}`,
      );
      announce(`${field.name} keeps what was typed, which does not fit: ${left.fault}`);
    }
    close('stay');
  };
  /** A name leads to its entry, unless that has no page yet. */
  const openAt = (at: Cell): boolean => {
    if (at.column === 0 && (rows.at(at.row)?.EntryId ?? 0) > 0) return false;
    begin(at);
    return true;
  };
  const writable = (entryId: number) => (field: Field) => refusalOf(editing, field, entryId) === undefined;
  const clear = () => {
    const chosen = columns.slice(range.left, range.right + 1).map(({ field }) => field);
    const fields = chosen.filter(writable(0));
    const first = rows.at(range.top);
    const isOne = range.top === range.bottom;
    if (fields.length === 0 || (isOne && first && !fields.some(writable(first.EntryId)))) {
      begin({ row: range.top, column: range.left });
      return;
    }
    const stage = (there: readonly RowVm[]) => {
      const cells = there.flatMap((row) =>
        fields.filter(writable(row.EntryId)).map((field) => cellOf(row, field, undefined, columns)),
      );
      stageCells(editing.typeId, cells, `Clear ${counted(cells.length, 'cell', 'cells')}`);
    };
    const there = rowsAtHand(rows, range.top, range.bottom, fields);
    if (there) stage(there);
    else if (range.bottom - range.top >= MOST_CLEARED)
      announce(`At most ${MOST_CLEARED} rows are cleared at once`);
    else void rowsBetween(rows, range.top, range.bottom, fields).then(stage, sayUnread);
  };

  const turn = (again: boolean): boolean => {
    if (editing.refusal !== undefined) return false;
    (again ? redoStep : undoStep)(editing.typeId);
    announce(again ? 'Done again' : 'Undone');
    return true;
  };
  const selectAll = () => {
    const to = { row: bounds.rows - 1, column: bounds.columns - 1 };
    setFar({ from: { row: 0, column: 0 }, to });
    announce(`Selected ${counted(cellsIn(rangeOf({ row: 0, column: 0 }, to)), 'cell', 'cells')}`);
  };
  const letGo = (): boolean => {
    if (!far && !open) return false;
    setFar(undefined);
    setOpen(undefined);
    return true;
  };
  const selectLine = (act: 'row' | 'column') =>
    setFar(
      act === 'row'
        ? { from: { ...current, column: 0 }, to: { ...current, column: bounds.columns - 1 } }
        : { from: { ...current, row: 0 }, to: { ...current, row: bounds.rows - 1 } },
    );

  /** True where the key was one of the sheet's. */
  const pressed = (event: KeyboardEvent): boolean => {
    const act = actOf(event);
    if (act === 'undo' || act === 'redo') return turn(act === 'redo');
    if (act === 'all') selectAll();
    else if (current.row < 0) return false;
    else if (act === 'row' || act === 'column') selectLine(act);
    else if (act === 'extend') extend(movedBy(event, far?.to ?? current, bounds) ?? current);
    else if (act === 'let-go') return letGo();
    else if (act === 'delete') void deleteRows(rows, range);
    else if (act === 'clear') clear();
    else if (act === 'write') begin(current);
    else if (act === 'open') return openAt(current);
    else if (isPrintable(event)) begin(current, event.key);
    else return false;
    return true;
  };
  /** What follows every other movement. */
  const moved = () => {
    setFar(undefined);
    if (open?.refusal !== undefined) setOpen(undefined);
  };

  const onPointerDown = (event: PointerEvent) => {
    const at = placeOf(event.target);
    if (!at || at.row < 0 || event.button !== 0 || event.pointerType === 'touch') return;
    if (event.shiftKey) {
      event.preventDefault();
      extend(at);
      return;
    }
    moved();
    setDragging(true);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!dragging) return;
    if (event.buttons === 0) {
      setDragging(false);
      return;
    }
    const at = placeOf(event.target);
    const from = far?.from ?? current;
    if (!at || at.row < 0 || (at.row === from.row && at.column === from.column && !far)) return;
    if (far?.to.row !== at.row || far.to.column !== at.column) extend(at);
  };
  const onDoubleClick = (event: MouseEvent) => {
    const at = placeOf(event.target);
    if (at && at.row >= 0) begin(at);
  };
  // A link in a range is not followed: the pointer drew the range.
  const onClickCapture = (event: MouseEvent) => {
    if (far || event.shiftKey) event.preventDefault();
  };
  return {
    range: far && range,
    target: range,
    open,
    pressed,
    moved,
    commit,
    misfit,
    close,
    pointer: {
      onPointerDown,
      onPointerMove,
      onPointerUp: () => setDragging(false),
      onDoubleClick,
      onClickCapture,
    },
  };
}

interface Wanted {
  entry: RowVm;
  field: Field;
  /** What was typed to begin with. */
  seed: string | undefined;
}

const sayUnread = (thrown: unknown): void =>
  toast({ title: 'The whole text was not read', description: toServiceError(thrown).message, tone: 'bad' });

/** Reads the text of a cell whole before it is opened; what is typed meanwhile begins it, and another cell takes over. */
function useWholeCell() {
  const waiting = useRef<Wanted>(undefined);
  return ({ entry, field, seed }: Wanted, show: (row: RowVm, seed: string | undefined) => void) => {
    const before = waiting.current;
    if (before?.entry.EntryId === entry.EntryId && before.field.id === field.id) {
      before.seed = seed === undefined ? before.seed : `${before.seed ?? ''}${seed}`;
      return;
    }
    const mine: Wanted = { entry, field, seed };
    waiting.current = mine;
    void readAndShow(mine, show);
  };

  async function readAndShow(mine: Wanted, show: (row: RowVm, seed: string | undefined) => void) {
    const [whole] = await wholeRows([mine.entry], [mine.field]).catch((thrown: unknown) => {
      sayUnread(thrown);
      return [];
    });
    if (waiting.current !== mine) return;
    waiting.current = undefined;
    if (whole) show(whole, mine.seed);
  }
}
