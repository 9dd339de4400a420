import type { KeyboardEvent } from 'react';

/** A cell by row and column index; row -1 is the header. */
export interface Cell {
  row: number;
  column: number;
}

/** Size of a grid. */
export interface GridBounds {
  rows: number;
  columns: number;
  /** Rows per page, for Page Up and Page Down. */
  pageRows: number;
}

/** The cell that a key moves to in a grid (ARIA grid pattern); undefined for other keys. */
export function moveCell(
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>,
  { row, column }: Cell,
  bounds: GridBounds,
): Cell | undefined {
  const isJump = ctrlKey || metaKey;
  const { rows, columns, pageRows } = bounds;
  const clampTo = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.max(-1, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return clampTo(isJump ? rows - 1 : row + 1, column);
    case 'ArrowUp':
      return clampTo(isJump ? 0 : row - 1, column);
    case 'ArrowRight':
      return clampTo(row, isJump ? columns - 1 : column + 1);
    case 'ArrowLeft':
      return clampTo(row, isJump ? 0 : column - 1);
    case 'PageDown':
      return clampTo(row + pageRows, column);
    case 'PageUp':
      return clampTo(Math.max(0, row - pageRows), column);
    case 'Home':
      return isJump ? clampTo(0, 0) : clampTo(row, 0);
    case 'End':
      return isJump ? clampTo(rows - 1, columns - 1) : clampTo(row, columns - 1);
    default:
      return undefined;
  }
}

/** A range of cells, bounds included. */
export interface CellRange {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** The range between two cells; the header is left out. */
export const toRange = (a: Cell, b: Cell): CellRange => ({
  top: Math.max(0, Math.min(a.row, b.row)),
  bottom: Math.max(0, a.row, b.row),
  left: Math.min(a.column, b.column),
  right: Math.max(a.column, b.column),
});

/** Number of cells in a range. */
export const countCells = ({ top, bottom, left, right }: CellRange): number =>
  (bottom - top + 1) * (right - left + 1);
