import type { RowSource } from './row-source.ts';

/** Pages kept in memory; the oldest are evicted. */
const MAX_PAGES = 40;
/** Pause before rows in view ask again for a page that could not be loaded. */
const RETRY_MS = 5_000;

interface PagedRowsOptions<Row> {
  length: number;
  /** Rows per page. */
  pageSize: number;
  /** The first page, which is loaded already. */
  firstPage: readonly Row[];
  loadPage: (pageNumber: number) => Promise<readonly Row[]>;
  /** Pages of an earlier reading, shown until they are read again. */
  stalePages?: ReadonlyMap<number, readonly Row[]> | undefined;
}

/** A row source with the pages that it holds, for the one that replaces it. */
export interface PagedRows<Row> extends RowSource<Row> {
  getPages: () => ReadonlyMap<number, readonly Row[]>;
}

/** Row source that loads the pages in view and their neighbours on demand. */
export function createPagedRows<Row>({
  length,
  pageSize,
  firstPage,
  loadPage,
  stalePages = new Map(),
}: PagedRowsOptions<Row>): PagedRows<Row> {
  const pages = new Map<number, readonly Row[]>([[1, firstPage]]);
  const requested = new Set([1]);
  const listeners = new Set<() => void>();
  let turn = 0;

  const evictPages = () => {
    for (const number of requested) {
      if (requested.size <= MAX_PAGES) return;
      // The first page is kept: lists open at the top.
      if (number === 1) continue;
      requested.delete(number);
      pages.delete(number);
    }
  };
  const notify = () => {
    turn += 1;
    for (const listener of listeners) listener();
  };
  const fetchPage = async (number: number) => {
    requested.add(number);
    evictPages();
    try {
      const rows = await loadPage(number);
      // Scrolled away and evicted in the meantime.
      if (!requested.has(number)) return;
      pages.set(number, rows);
      notify();
    } catch {
      requested.delete(number);
      setTimeout(notify, RETRY_MS);
    }
  };

  return {
    length,
    at(index) {
      const number = Math.floor(index / pageSize) + 1;
      for (const each of [number, number + 1, number - 1]) {
        if (each > 0 && (each - 1) * pageSize < length && !requested.has(each)) void fetchPage(each);
      }
      return (pages.get(number) ?? stalePages.get(number))?.[index % pageSize];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getRevision: () => turn,
    getPages: () => new Map([...stalePages, ...pages].slice(-MAX_PAGES)),
  };
}
