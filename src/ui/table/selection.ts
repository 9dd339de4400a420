import { useMemo, useRef } from 'react';
import type { RowId } from './columns.ts';

interface SelectionOptions {
  count: number;
  idAt: (index: number) => RowId | undefined;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
}

/** State of the checkbox in the table header. */
export type HeaderState = 'none' | 'some' | 'all';

/** Returns whether all, some or none of the rows are selected; stops at the first certain answer. */
function getHeaderState({ count, idAt, selection }: Omit<SelectionOptions, 'onSelect'>): HeaderState {
  if (selection.size === 0) return 'none';
  let on = false;
  let off = false;
  for (let at = 0; at < count; at += 1) {
    const id = idAt(at);
    if (id !== undefined && selection.has(id)) on = true;
    else off = true;
    if (on && off) return 'some';
  }
  return on ? 'all' : 'none';
}

/** Selection of single rows, of ranges from the last toggled row, and of all rows. */
export function useSelection({ count, idAt, selection, onSelect }: SelectionOptions) {
  const lastToggled = useRef<{ at: number; id: RowId }>(undefined);
  const state = useMemo(() => getHeaderState({ count, idAt, selection }), [count, idAt, selection]);

  const toggle = (at: number, range: boolean) => {
    const toggledId = idAt(at);
    if (toggledId === undefined) return;
    const on = !selection.has(toggledId);
    const last = lastToggled.current;
    // In another order of the rows, another row is where the last one was.
    const from = range && last && idAt(last.at) === last.id ? last.at : at;
    const next = new Set(selection);
    for (let each = Math.min(from, at); each <= Math.max(from, at); each += 1) {
      const id = idAt(each);
      if (id === undefined) continue;
      if (on) next.add(id);
      else next.delete(id);
    }
    lastToggled.current = { at, id: toggledId };
    onSelect(next);
  };

  const toggleAll = () => {
    lastToggled.current = undefined;
    const all = Array.from({ length: count }, (_, at) => idAt(at)).filter((id) => id !== undefined);
    onSelect(new Set(state === 'all' ? [] : all));
  };

  return { state, toggle, toggleAll };
}
