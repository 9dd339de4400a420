import { useSyncExternalStore } from 'react';
import type { RowId } from './columns.ts';

/** Rows of a long list by index, loaded on demand. An array is a row source too. */
export interface RowSource<Row> {
  readonly length: number;
  /** Returns a row; undefined while it is loading, shown as a skeleton row. */
  at: (index: number) => Row | undefined;
  /** Returns the id at an index, which may be known before the row; without it, ids are read from rows. */
  idAt?: (index: number) => RowId | undefined;
  /** Subscribes to loaded rows; `getRevision` changes with each load. */
  subscribe?: (listener: () => void) => () => void;
  getRevision?: () => number;
}

/** Creates a function that returns the id at an index. */
export function createIdReader<Row>(rows: RowSource<Row>, rowId: (row: Row) => RowId) {
  return (index: number): RowId | undefined => {
    if (rows.idAt) return rows.idAt(index);
    const row = rows.at(index);
    return row === undefined ? undefined : rowId(row);
  };
}

const subscribeToNothing = () => () => undefined;
const getNoRevision = () => 0;

/** Re-renders when rows have been loaded. */
export function useRowUpdates({
  subscribe = subscribeToNothing,
  getRevision = getNoRevision,
}: RowSource<unknown>): void {
  useSyncExternalStore(subscribe, getRevision);
}
