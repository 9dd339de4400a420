import { useRouter } from '@tanstack/react-router';
import type { RouterHistory } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { FocusEvent, RefObject } from 'react';
import type { Cell } from '../../../ui/cell-navigation.ts';
import type { CellAddress } from '../views/view.ts';

/** The focused cell, and moving the focus to another one, which may have to be rendered first. */
export function useCellFocus(
  scroller: RefObject<HTMLElement | null>,
  viewport: object,
  reveal: (row: number, column: number) => void,
  rowCount: number,
) {
  const [cell, setCell] = useState<Cell>({ row: 0, column: 0 });
  // Set by moveTo: the cell is focused once it is rendered.
  const isFocusPending = useRef(false);
  useEffect(() => {
    if (!isFocusPending.current) return;
    const element = scroller.current?.querySelector<HTMLElement>(
      `[data-row="${cell.row}"][data-column="${cell.column}"]`,
    );
    if (!element) return;
    isFocusPending.current = false;
    element.focus({ preventScroll: true });
    // oxlint-disable-next-line react/exhaustive-deps -- a new viewport may render the cell
  }, [cell, viewport, scroller]);

  const moveTo = (to: Cell) => {
    setCell(to);
    reveal(to.row, to.column);
    isFocusPending.current = true;
  };
  // If the focused row is removed, the focus moves to the last row instead of leaving the grid.
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (!hadFocus.current || rowCount === 0 || cell.row < rowCount) return;
    if (document.activeElement !== document.body) return;
    moveTo({ row: rowCount - 1, column: cell.column });
    // oxlint-disable-next-line react/exhaustive-deps -- runs only when the number of rows changes
  }, [rowCount]);
  const onFocus = (event: FocusEvent) => {
    const element = event.target.closest<HTMLElement>('[data-row]');
    hadFocus.current = element !== null;
    if (element) setCell({ row: Number(element.dataset.row), column: Number(element.dataset.column) });
  };
  return { cell, moveTo, onFocus };
}

/** The row or cell that the URL points at. */
export interface TargetCell extends CellAddress {
  /** Index of the row; undefined while it is loading and if the list does not contain it. */
  row: number | undefined;
  /** Index of the column; undefined if the URL points at the whole row. */
  column: number | undefined;
}

// URLs whose target was scrolled to. Coming back to the list by Back or Forward keeps its scroll position; opening the
// URL again scrolls to the target again.
const visitedHrefs = new Set<string>();
const observedHistories = new WeakSet<RouterHistory>();

function observeHistory(history: RouterHistory): void {
  if (observedHistories.has(history)) return;
  observedHistories.add(history);
  history.subscribe(({ location, action }) => {
    if (action.type === 'PUSH' || action.type === 'REPLACE') visitedHrefs.delete(location.href);
  });
}

/** Scrolls to the target of the URL once per visit. */
export function useScrollToTarget(target: TargetCell | undefined, scrollTo: (cell: Cell) => void): void {
  const { history } = useRouter();
  const { row, column = 0, entryId, field } = target ?? {};
  const scrollToCell = useEffectEvent(scrollTo);
  useEffect(() => {
    observeHistory(history);
    const { href } = history.location;
    if (row === undefined || visitedHrefs.has(href)) return;
    visitedHrefs.add(href);
    scrollToCell({ row, column });
    // oxlint-disable-next-line react/exhaustive-deps -- another target means another URL
  }, [history, row, column, entryId, field]);
}
