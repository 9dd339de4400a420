import type { KeyboardEvent } from 'react';

/** A cell of the matrix: column 0 is the person, the last one their menu. */
export interface Place {
  row: number;
  column: number;
}

interface Extent {
  rows: number;
  columns: number;
  /** Rows that fit in view. */
  page: number;
}

const MOVES: Record<string, (at: Place, extent: Extent, far: boolean) => Place> = {
  ArrowDown: (at) => ({ ...at, row: at.row + 1 }),
  ArrowUp: (at) => ({ ...at, row: at.row - 1 }),
  ArrowRight: (at) => ({ ...at, column: at.column + 1 }),
  ArrowLeft: (at) => ({ ...at, column: at.column - 1 }),
  PageDown: (at, { page }) => ({ ...at, row: at.row + page }),
  PageUp: (at, { page }) => ({ ...at, row: at.row - page }),
  Home: (at, _, far) => ({ row: far ? 0 : at.row, column: 0 }),
  End: (at, { rows, columns }, far) => ({ row: far ? rows - 1 : at.row, column: columns - 1 }),
};

const within = (value: number, end: number): number => Math.max(0, Math.min(end - 1, value));

/** Where a key leads in a grid (ARIA, "Grid pattern"); undefined where it is not one of its keys. */
export function moveBy(
  { key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  at: Place,
  extent: Extent,
): Place | undefined {
  const move = MOVES[key];
  const far = ctrlKey || metaKey;
  if (!move || altKey || (far && key !== 'Home' && key !== 'End')) return undefined;
  const { row, column } = move(at, extent, far);
  return { row: within(row, extent.rows), column: within(column, extent.columns) };
}
