import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { Place } from './-matrix-keys.ts';

/**
 * Moves the focus to a cell: at once where it is drawn, for the next key must find it there, else as soon as its
 * person has been read. Meanwhile the grid itself has the focus, so that no key is lost.
 */
export function useCellFocus(grid: RefObject<HTMLElement | null>): (to: Place) => boolean {
  const wanted = useRef<Place>(undefined);
  const focusOn = ({ row, column }: Place): boolean => {
    const place = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    const cell = place?.matches('td') ? place.querySelector<HTMLElement>('button') : place;
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return cell !== null && cell !== undefined;
  };
  // Rows are drawn after the event that asked for them. Who has gone elsewhere meanwhile is not brought back.
  useEffect(() => {
    if (!wanted.current) return;
    if (document.activeElement !== grid.current || focusOn(wanted.current)) wanted.current = undefined;
  });
  return (to) => {
    wanted.current = undefined;
    if (focusOn(to)) return true;
    wanted.current = to;
    grid.current?.focus({ preventScroll: true });
    return false;
  };
}
