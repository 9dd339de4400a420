import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FocusEvent, RefObject } from 'react';
import type { Cell } from './keys.ts';

/** The cell that the keyboard is on, and the way to another one, which may have to be drawn first. */
export function useCell(
  scroller: RefObject<HTMLElement | null>,
  view: object,
  reveal: (row: number, column: number) => void,
  rows: number,
) {
  const [cell, setCell] = useState<Cell>({ row: 0, column: 0 });
  // The cell that was gone to is drawn after the event: the focus follows it there.
  const wanted = useRef(false);
  useEffect(() => {
    if (!wanted.current) return;
    const there = scroller.current?.querySelector<HTMLElement>(
      `[data-row="${cell.row}"][data-column="${cell.column}"]`,
    );
    if (!there) return;
    wanted.current = false;
    there.focus({ preventScroll: true });
    // Another view may be what draws it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [cell, view, scroller]);

  const go = (to: Cell) => {
    setCell(to);
    reveal(to.row, to.column);
    wanted.current = true;
  };
  // A row that goes takes the focus along, and the keyboard would have to find the grid again.
  const wasHere = useRef(false);
  useLayoutEffect(() => {
    if (!wasHere.current || rows === 0 || cell.row < rows || document.activeElement !== document.body) return;
    go({ row: rows - 1, column: cell.column });
    // What goes is what this is about.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rows]);
  const focused = (event: FocusEvent) => {
    const at = event.target.closest<HTMLElement>('[data-row]');
    wasHere.current = at !== null;
    if (at) setCell({ row: Number(at.dataset.row), column: Number(at.dataset.column) });
  };
  return { cell, go, focused };
}
