import type { KeyboardEvent } from 'react';
import { moveCell } from '../../../ui/cell-navigation.ts';
import type { Cell, GridBounds } from '../../../ui/cell-navigation.ts';

/** A cell of the matrix: column 0 is the user, the last one their menu. */
export type MatrixCell = Cell;

/**
 * The cell that a key moves to in the matrix, which has no focusable header; undefined for other keys. With Ctrl only
 * Home and End move, since Ctrl and arrows belong to the browser.
 */
export function moveInMatrix(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  at: MatrixCell,
  bounds: GridBounds,
): MatrixCell | undefined {
  const isJump = event.ctrlKey || event.metaKey;
  if (event.altKey || (isJump && event.key !== 'Home' && event.key !== 'End')) return undefined;
  const to = moveCell(event, at, bounds);
  return to && { ...to, row: Math.max(0, to.row) };
}
