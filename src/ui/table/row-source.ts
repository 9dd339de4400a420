import { useSyncExternalStore } from 'react';
import type { RowId } from './columns.ts';

/** Rows by their place in a list too long to hold: only those asked for are there. An array is one, too. */
export interface RowSource<Row> {
  readonly length: number;
  /** Undefined while it is being fetched: painted as a skeleton row. */
  at: (index: number) => Row | undefined;
  /** The id at a place, known before its row is; without it, rows tell their own. */
  idAt?: (index: number) => RowId | undefined;
  /** Called when rows that were being fetched are there; `turn` is then another one. */
  subscribe?: (listener: () => void) => () => void;
  turn?: () => number;
}

/** Where the ids of a source come from. */
export function idsOf<Row>(rows: RowSource<Row>, rowId: (row: Row) => RowId) {
  return (index: number): RowId | undefined => {
    if (rows.idAt) return rows.idAt(index);
    const row = rows.at(index);
    return row === undefined ? undefined : rowId(row);
  };
}

const never = () => () => undefined;
const none = () => 0;

/** Draws again when rows arrive. */
export function useArrivals({ subscribe = never, turn = none }: RowSource<unknown>): void {
  useSyncExternalStore(subscribe, turn);
}
