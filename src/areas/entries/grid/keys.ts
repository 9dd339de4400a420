import type { Press } from './grid-keys.ts';

/** The cell that the keyboard is on; row -1 is the header. */
export interface Cell {
  row: number;
  column: number;
}

export interface Bounds {
  rows: number;
  columns: number;
  /** Rows that fit in view. */
  page: number;
}

/** Where a key moves to in a grid (ARIA, "grid"); undefined for keys that move nowhere. */
export function movedBy(
  { key, ctrlKey, metaKey }: Pick<Press, 'key' | 'ctrlKey' | 'metaKey'>,
  { row, column }: Cell,
  bounds: Bounds,
): Cell | undefined {
  const toEnd = ctrlKey || metaKey;
  const { rows, columns, page } = bounds;
  const to = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.max(-1, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(toEnd ? rows - 1 : row + 1, column);
    case 'ArrowUp':
      return to(toEnd ? 0 : row - 1, column);
    case 'ArrowRight':
      return to(row, toEnd ? columns - 1 : column + 1);
    case 'ArrowLeft':
      return to(row, toEnd ? 0 : column - 1);
    case 'PageDown':
      return to(row + page, column);
    case 'PageUp':
      return to(Math.max(0, row - page), column);
    case 'Home':
      return toEnd ? to(0, 0) : to(row, 0);
    case 'End':
      return toEnd ? to(rows - 1, columns - 1) : to(row, columns - 1);
    default:
      return undefined;
  }
}
