import type { KeyboardEvent, MouseEvent } from 'react';

interface RowKeyContext {
  count: number;
  /** Number of rows in view. */
  page: number;
  current: number;
  focusRow: (to: number) => void;
  toggle?: ((at: number, range: boolean) => void) | undefined;
}

const MOVES: Record<string, (at: number, page: number, count: number) => number> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, page) => at + page,
  PageUp: (at, page) => at - page,
  Home: () => 0,
  End: (_at, _page, count) => count - 1,
};

/** Handles the keys of a row: arrows, page and end keys move, Space selects, Enter opens the row's link. */
export function handleRowKeyDown(
  event: KeyboardEvent<HTMLElement>,
  { count, page, current, focusRow, toggle }: RowKeyContext,
) {
  // React also bubbles events of a menu that is rendered in a portal.
  if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return;
  const step = MOVES[event.key];
  if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    const to = Math.max(0, Math.min(count - 1, step(current, page, count)));
    focusRow(to);
    return;
  }
  // A focused checkbox, link or button within the row handles these keys itself.
  if (!(event.target instanceof HTMLTableRowElement)) return;
  if (event.key === ' ' && toggle) {
    event.preventDefault();
    toggle(current, event.shiftKey);
  }
  if (event.key === 'Enter') openRow(event.target);
}

/** Follows the first link of a row, which leads to what the row stands for. */
const openRow = (row: HTMLTableRowElement) => row.querySelector<HTMLAnchorElement>('a[href]')?.click();

/** Elements that a click is meant for, and the cells around the controls of a row, which are easily hit beside them. */
const ROW_CONTROLS = 'a, button, input, select, textarea, label, summary, .tbl-select, .tbl-menu';

/** Opens the row that is clicked outside of its controls; with a modifier key, or to select text, a click does nothing. */
export function handleRowClick(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  // React also bubbles events of a menu that is rendered in a portal.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (target.closest(ROW_CONTROLS) !== null) return;
  if (getSelection()?.isCollapsed === false) return;
  const row = target.closest('tr');
  if (row) openRow(row);
}

/** Descriptions of the keys for the cheat sheet. */
export const ROW_KEYS: readonly { keys: string; label: string }[] = [
  { keys: '↑ ↓', label: 'Previous and next row' },
  { keys: 'PageUp PageDown', label: 'A screen up and down' },
  { keys: 'Home End', label: 'First and last row' },
  { keys: 'Space', label: 'Select the row' },
  { keys: 'Shift+Space', label: 'Select up to the row' },
  { keys: 'Enter', label: 'Open the row' },
];
