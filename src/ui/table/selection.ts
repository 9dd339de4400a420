import { useMemo, useRef } from 'react';
import type { RowId } from './columns.ts';

interface Selecting {
  count: number;
  idAt: (index: number) => RowId | undefined;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
}

export type HeaderState = 'none' | 'some' | 'all';

/** Whether all, some or none of the rows are selected; ends as soon as that is certain. */
function stateOf({ count, idAt, selection }: Omit<Selecting, 'onSelect'>): HeaderState {
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

/** Selection by single rows, by ranges from the last one touched, and all at once. */
export function useSelection({ count, idAt, selection, onSelect }: Selecting) {
  const last = useRef<number>(undefined);
  const state = useMemo(() => stateOf({ count, idAt, selection }), [count, idAt, selection]);

  const toggle = (at: number, range: boolean) => {
    const touched = idAt(at);
    if (touched === undefined) return;
    const on = !selection.has(touched);
    const from = range && last.current !== undefined ? last.current : at;
    const next = new Set(selection);
    for (let each = Math.min(from, at); each <= Math.max(from, at); each += 1) {
      const id = idAt(each);
      if (id === undefined) continue;
      if (on) next.add(id);
      else next.delete(id);
    }
    last.current = at;
    onSelect(next);
  };

  const toggleAll = () => {
    last.current = undefined;
    const all = Array.from({ length: count }, (_, at) => idAt(at)).filter((id) => id !== undefined);
    onSelect(new Set(state === 'all' ? [] : all));
  };

  return { state, toggle, toggleAll };
}
