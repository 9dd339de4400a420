import type { KeyboardEvent } from 'react';

interface RowKeys {
  count: number;
  /** Rows that fit in view. */
  page: number;
  current: number;
  go: (to: number) => void;
  toggle?: ((at: number, range: boolean) => void) | undefined;
}

const STEPS: Record<string, (at: number, page: number, count: number) => number> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, page) => at + page,
  PageUp: (at, page) => at - page,
  Home: () => 0,
  End: (_at, _page, count) => count - 1,
};

/** Rows by keyboard: arrows, pages and ends move, Space selects, Enter opens the row's link. */
export function rowKeyDown(event: KeyboardEvent<HTMLElement>, { count, page, current, go, toggle }: RowKeys) {
  // An open menu stands elsewhere in the document, but React hands its keys up to its row.
  if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return;
  const step = STEPS[event.key];
  if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    const to = Math.max(0, Math.min(count - 1, step(current, page, count)));
    go(to);
    return;
  }
  // On a checkbox, link or button inside the row these keys are its own.
  if (!(event.target instanceof HTMLTableRowElement)) return;
  if (event.key === ' ' && toggle) {
    event.preventDefault();
    toggle(current, event.shiftKey);
  }
  if (event.key === 'Enter') event.target.querySelector<HTMLAnchorElement>('a[href]')?.click();
}

/** What the keys do, for people. */
export const ROW_KEYS: readonly { keys: string; label: string }[] = [
  { keys: '↑ ↓', label: 'Previous and next row' },
  { keys: 'PageUp PageDown', label: 'A screen up and down' },
  { keys: 'Home End', label: 'First and last row' },
  { keys: 'Space', label: 'Select the row' },
  { keys: 'Shift+Space', label: 'Select up to the row' },
  { keys: 'Enter', label: 'Open the row' },
];
