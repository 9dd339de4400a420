import { useState, useRef } from 'react';
import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react';
import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { moveCell, countCells, toRange } from '../../../ui/cell-navigation.ts';
import type { GridBounds, Cell } from '../../../ui/cell-navigation.ts';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { toast } from '../../../ui/toast.ts';
import { redoStep, stageCells, undoStep } from '../editing/change-set-store.ts';
import type { InvalidInput } from '../editing/change-set.ts';
import type { CommitMove } from '../editing/editor/editor-props.ts';
import { createStagedCell, getEditRefusal, getShownValue } from '../editing/grid-editing.ts';
import type { GridEditing } from '../editing/grid-editing.ts';
import type { EntryColumn } from '../model/columns.ts';
import { getFullRange, loadFullRange, isTruncated, loadFullRows } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';
import type { Field } from '../model/schema.ts';
import { getAction } from './key-bindings.ts';
import { useDeleteRows } from './use-delete-rows.ts';

/** An open cell: being edited, or showing why it cannot be. */
export interface OpenCell extends Cell {
  entry: RowVm;
  /** Identifies the column, which may be hidden or moved while the cell is open. */
  fieldId: number;
  value: FieldValue | undefined;
  /** Text typed to open the cell. */
  seed: string | undefined;
  invalidInput: InvalidInput | undefined;
  /** Why the cell cannot be edited. */
  refusal: string | undefined;
}

interface InteractionOptions {
  rows: EntryRows;
  columns: readonly EntryColumn[];
  editing: GridEditing;
  /** The focused cell. */
  current: Cell;
  bounds: GridBounds;
  /** Moves the focus to a cell. */
  moveTo: (to: Cell) => void;
  /** Scrolls a cell into view without moving the focus. */
  reveal: (row: number, column: number) => void;
}

/** Upper bound of rows cleared at once; larger changes are bulk edits, since cleared cells are reviewed one by one. */
const MAX_CLEARED_ROWS = 5000;

const COMMIT_STEPS: Record<CommitMove, Cell> = {
  stay: { row: 0, column: 0 },
  down: { row: 1, column: 0 },
  up: { row: -1, column: 0 },
  right: { row: 0, column: 1 },
  left: { row: 0, column: -1 },
};

const ONE_CHARACTER = /^[^ ]$/u;
const isPrintable = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ONE_CHARACTER.test(key) && !ctrlKey && !metaKey && !altKey;

/** The cell that contains an event target. */
export const findCell = (target: EventTarget): Cell | undefined => {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return element ? { row: Number(element.dataset.row), column: Number(element.dataset.column) } : undefined;
};

const hasFocus = ({ row, column }: Cell): boolean => {
  const focused = document.activeElement && findCell(document.activeElement);
  return focused?.row === row && focused.column === column;
};

/** Range selection, cell editing, and the keyboard and pointer handlers of both. */
export function useGridInteraction({
  rows,
  columns,
  editing,
  current,
  bounds,
  moveTo,
  reveal,
}: InteractionOptions) {
  const [ends, setEnds] = useState<{ from: Cell; to: Cell }>();
  const [openedCell, setOpenedCell] = useState<OpenCell>();
  const open =
    openedCell && columns[openedCell.column]?.field.id === openedCell.fieldId ? openedCell : undefined;
  const [isDragging, setIsDragging] = useState(false);
  const openFullCell = useFullCell();
  const { deleteRows } = useDeleteRows(editing.typeId, columns);
  const selection = ends ? toRange(ends.from, ends.to) : toRange(current, current);

  const extendTo = (to: Cell) => {
    setEnds({ from: ends?.from ?? current, to: { ...to, row: Math.max(0, to.row) } });
    reveal(Math.max(0, to.row), to.column);
  };
  const openCell = (cell: Cell, seed?: string) => {
    const entry = rows.at(cell.row);
    const field = columns[cell.column]?.field;
    if (!entry || !field) return;
    const refusal = getEditRefusal(editing, field, entry.EntryId);
    if (refusal !== undefined) announce(refusal);
    setEnds(undefined);
    const invalidInput = editing.changes.cells.get(entry.EntryId)?.get(field.id)?.invalidInput;
    const show = (row: RowVm, typed: string | undefined) =>
      setOpenedCell({
        ...cell,
        entry: row,
        fieldId: field.id,
        value: getShownValue(row, field, editing.changes),
        seed: typed,
        invalidInput,
        refusal,
      });
    if (refusal === undefined && isTruncated(entry, field))
      openFullCell({ entry, field, seed }, (row, typed) => {
        // The user has moved on: a cell that opens now would take what is being typed elsewhere.
        if (hasFocus(cell)) show(row, typed);
      });
    else show(entry, seed);
  };
  const close = (move: CommitMove | undefined) => {
    // Opening another cell may have caused this one to close.
    setOpenedCell((latest) => (latest === open ? undefined : latest));
    if (!open || move === 'stay') return;
    const step = COMMIT_STEPS[move ?? 'stay'];
    moveTo({
      row: Math.max(0, Math.min(bounds.rows - 1, open.row + step.row)),
      column: Math.max(0, Math.min(bounds.columns - 1, open.column + step.column)),
    });
  };
  const commit = (value: FieldValue | undefined, move: CommitMove) => {
    const field = open && columns[open.column]?.field;
    if (open && field)
      stageCells(editing.typeId, [createStagedCell(open.entry, field, value, columns)], `Edit ${field.name}`);
    close(move);
  };
  const stageInvalidInput = (invalidInput: InvalidInput) => {
    const field = open && columns[open.column]?.field;
    if (open && field) {
      stageCells(
        editing.typeId,
        [createStagedCell(open.entry, field, open.value, columns, invalidInput)],
        `Type into ${field.name}`,
      );
      announce(`${field.name} keeps the invalid input: ${invalidInput.error}`);
    }
    close('stay');
  };
  /** Opens a cell on Enter; returns false for names, which link to their entry unless it is new. */
  const openOnEnter = (cell: Cell): boolean => {
    if (cell.column === 0 && (rows.at(cell.row)?.EntryId ?? 0) > 0) return false;
    openCell(cell);
    return true;
  };
  const isEditable = (entryId: number) => (field: Field) =>
    getEditRefusal(editing, field, entryId) === undefined;
  const clearCells = () => {
    const { top, bottom, left, right } = selection;
    const selectedFields = columns.slice(left, right + 1).map(({ field }) => field);
    const fields = selectedFields.filter(isEditable(0));
    const first = rows.at(top);
    const isOneRow = top === bottom;
    if (fields.length === 0 || (isOneRow && first && !fields.some(isEditable(first.EntryId)))) {
      openCell({ row: top, column: left });
      return;
    }
    const stage = (selectedRows: readonly RowVm[]) => {
      const cells = selectedRows.flatMap((row) =>
        fields
          .filter(isEditable(row.EntryId))
          .map((field) => createStagedCell(row, field, undefined, columns)),
      );
      stageCells(editing.typeId, cells, `Clear ${pluralize(cells.length, 'cell', 'cells')}`);
    };
    const loadedRows = getFullRange(rows, top, bottom, fields);
    if (loadedRows) stage(loadedRows);
    else if (bottom - top >= MAX_CLEARED_ROWS)
      toast({
        title: 'Nothing was staged',
        description: `At most ${formatNumber(MAX_CLEARED_ROWS)} rows can be cleared at once.`,
        tone: 'bad',
      });
    else void loadFullRange(rows, top, bottom, fields).then(stage, reportLoadError);
  };

  const undoOrRedo = (action: 'undo' | 'redo'): boolean => {
    if (editing.refusal !== undefined) return false;
    (action === 'redo' ? redoStep : undoStep)(editing.typeId);
    announce(action === 'redo' ? 'Redone' : 'Undone');
    return true;
  };
  const selectAll = () => {
    const to = { row: bounds.rows - 1, column: bounds.columns - 1 };
    setEnds({ from: { row: 0, column: 0 }, to });
    announce(`Selected ${pluralize(countCells(toRange({ row: 0, column: 0 }, to)), 'cell', 'cells')}`);
  };
  const clearSelection = (): boolean => {
    if (!ends && !open) return false;
    setEnds(undefined);
    setOpenedCell(undefined);
    return true;
  };
  const selectLine = (line: 'row' | 'column') =>
    setEnds(
      line === 'row'
        ? { from: { ...current, column: 0 }, to: { ...current, column: bounds.columns - 1 } }
        : { from: { ...current, row: 0 }, to: { ...current, row: bounds.rows - 1 } },
    );

  /** Handles a key of selection and editing; returns whether it did. */
  const handleKey = (event: KeyboardEvent): boolean => {
    const action = getAction(event);
    if (action === 'undo' || action === 'redo') return undoOrRedo(action);
    if (action === 'all') selectAll();
    else if (current.row < 0) return false;
    else if (action === 'row' || action === 'column') selectLine(action);
    else if (action === 'extend') extendTo(moveCell(event, ends?.to ?? current, bounds) ?? current);
    else if (action === 'clear-selection') return clearSelection();
    else if (action === 'delete') void deleteRows(rows, selection);
    else if (action === 'clear') clearCells();
    else if (action === 'write') openCell(current);
    else if (action === 'open') return openOnEnter(current);
    else if (isPrintable(event)) openCell(current, event.key);
    else return false;
    return true;
  };
  /** Clears the range when the focus moves. */
  const clearRange = () => {
    setEnds(undefined);
    if (open?.refusal !== undefined) setOpenedCell(undefined);
  };

  const onPointerDown = (event: PointerEvent) => {
    const cell = findCell(event.target);
    if (!cell || cell.row < 0 || event.button !== 0 || event.pointerType === 'touch') return;
    if (event.shiftKey) {
      event.preventDefault();
      extendTo(cell);
      return;
    }
    clearRange();
    setIsDragging(true);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!isDragging) return;
    if (event.buttons === 0) {
      setIsDragging(false);
      return;
    }
    const cell = findCell(event.target);
    const from = ends?.from ?? current;
    if (!cell || cell.row < 0 || (cell.row === from.row && cell.column === from.column && !ends)) return;
    if (ends?.to.row !== cell.row || ends.to.column !== cell.column) extendTo(cell);
  };
  const onDoubleClick = (event: MouseEvent) => {
    const cell = findCell(event.target);
    if (cell && cell.row >= 0) openCell(cell);
  };
  // A click that ends a range selection does not follow a link.
  const onClickCapture = (event: MouseEvent) => {
    if (ends || event.shiftKey) event.preventDefault();
  };
  return {
    /** The selected range; undefined if only the focused cell is selected. */
    range: ends && selection,
    /** The selected range or the focused cell. */
    selection,
    open,
    handleKey,
    clearRange,
    commit,
    stageInvalidInput,
    close,
    pointerHandlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp: () => setIsDragging(false),
      onDoubleClick,
      onClickCapture,
    },
  };
}

interface CellRequest {
  entry: RowVm;
  field: Field;
  /** Text typed to open the cell, and while it is loading. */
  seed: string | undefined;
}

const reportLoadError = (thrown: unknown): void =>
  toast({
    title: 'The full text could not be loaded',
    description: toServiceError(thrown).message,
    tone: 'bad',
  });

/** Loads the full text of a truncated cell before it opens. Text typed meanwhile is kept; loading another one cancels. */
function useFullCell() {
  const pending = useRef<CellRequest>(undefined);
  return ({ entry, field, seed }: CellRequest, show: (row: RowVm, seed: string | undefined) => void) => {
    const earlier = pending.current;
    if (earlier?.entry.EntryId === entry.EntryId && earlier.field.id === field.id) {
      earlier.seed = seed === undefined ? earlier.seed : `${earlier.seed ?? ''}${seed}`;
      return;
    }
    const request: CellRequest = { entry, field, seed };
    pending.current = request;
    void loadAndShow(request, show);
  };

  async function loadAndShow(request: CellRequest, show: (row: RowVm, seed: string | undefined) => void) {
    const [fullRow] = await loadFullRows([request.entry], [request.field]).catch((thrown: unknown) => {
      reportLoadError(thrown);
      return [];
    });
    if (pending.current !== request) return;
    pending.current = undefined;
    if (fullRow) show(fullRow, request.seed);
  }
}
