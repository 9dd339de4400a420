import type { RowSource } from '../../../ui/table/row-source.ts';

// Some thousand rows are held; whoever scrolls on lets go of those seen first.
const MOST_PAGES = 40;

interface Paged<Row> {
  length: number;
  /** How many rows a page has. */
  size: number;
  /** The first page, which told how many there are. */
  first: readonly Row[];
  read: (pageNumber: number) => Promise<readonly Row[]>;
}

/** Rows that come by page: the pages in view and those beside them are read, wherever one scrolls. */
export function pagedRows<Row>({ length, size, first, read }: Paged<Row>): RowSource<Row> {
  const pages = new Map<number, readonly Row[]>([[1, first]]);
  const asked = new Set([1]);
  const listeners = new Set<() => void>();
  let turn = 0;

  const letGo = () => {
    for (const number of asked) {
      if (asked.size <= MOST_PAGES) return;
      // The first one is where everybody comes back to.
      if (number === 1) continue;
      asked.delete(number);
      pages.delete(number);
    }
  };
  const fetchPage = async (number: number) => {
    asked.add(number);
    letGo();
    try {
      pages.set(number, await read(number));
      turn += 1;
      for (const listener of listeners) listener();
    } catch {
      asked.delete(number);
    }
  };

  return {
    length,
    at(index) {
      const number = Math.floor(index / size) + 1;
      for (const each of [number, number + 1, number - 1]) {
        if (each > 0 && (each - 1) * size < length && !asked.has(each)) void fetchPage(each);
      }
      return pages.get(number)?.[index % size];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    turn: () => turn,
  };
}

/** The same rows under some that came since. */
export function underNewer<Row>(newer: readonly Row[], rows: RowSource<Row>): RowSource<Row> {
  if (newer.length === 0) return rows;
  const { subscribe, turn } = rows;
  return {
    length: newer.length + rows.length,
    at: (index) => (index < newer.length ? newer[index] : rows.at(index - newer.length)),
    ...(subscribe && { subscribe }),
    ...(turn && { turn }),
  };
}
