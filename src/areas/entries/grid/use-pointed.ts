import { useEffect, useEffectEvent } from 'react';
import type { Pointed } from '../model/view.ts';
import type { Cell } from './keys.ts';

/** What an address points at in the grid. */
export interface PointedCell extends Pointed {
  /** Its place in the list; undefined while it is being looked for, and where it is not in it. */
  row: number | undefined;
  /** Undefined where the row as a whole is pointed at. */
  column: number | undefined;
  /** Names the visit of the address. */
  visit: string;
}

// Whoever comes back to the list finds it as it was left, and not once more where its address points at.
const followed = new Set<string>();

/** Goes to the cell that the address points at, once. */
export function usePointed(pointed: PointedCell | undefined, go: (to: Cell) => void): void {
  const { row, column = 0, visit } = pointed ?? {};
  const follow = useEffectEvent(go);
  useEffect(() => {
    if (row === undefined || visit === undefined || followed.has(visit)) return;
    followed.add(visit);
    follow({ row, column });
  }, [row, column, visit]);
}
