import type { RowSource } from '../../../ui/table/row-source.ts';
import { getRowId } from './row.ts';
import type { ActivityRow } from './row.ts';

/** Pages kept in memory; the oldest are evicted. */
const MAX_PAGES = 40;

interface PagedRowsOptions<Row> {
  length: number;
  /** Rows per page. */
  pageSize: number;
  /** The first page, which is loaded already. */
  firstPage: readonly Row[];
  loadPage: (pageNumber: number) => Promise<readonly Row[]>;
}

/** Row source that loads the pages in view and their neighbours on demand. */
export function createPagedRows<Row>({
  length,
  pageSize,
  firstPage,
  loadPage,
}: PagedRowsOptions<Row>): RowSource<Row> {
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
  const fetchPage = async (number: number) => {
    requested.add(number);
    evictPages();
    try {
      pages.set(number, await loadPage(number));
      turn += 1;
      for (const listener of listeners) listener();
    } catch {
      requested.delete(number);
    }
  };

  return {
    length,
    at(index) {
      const number = Math.floor(index / pageSize) + 1;
      for (const each of [number, number + 1, number - 1]) {
        if (each > 0 && (each - 1) * pageSize < length && !requested.has(each)) void fetchPage(each);
      }
      return pages.get(number)?.[index % pageSize];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getRevision: () => turn,
  };
}

/** Row source with newer rows in front of another source. */
export function prependRows<Row>(newer: readonly Row[], rows: RowSource<Row>): RowSource<Row> {
  if (newer.length === 0) return rows;
  const { subscribe, getRevision: turn } = rows;
  return {
    length: newer.length + rows.length,
    at: (index) => (index < newer.length ? newer[index] : rows.at(index - newer.length)),
    ...(subscribe && { subscribe }),
    ...(turn && { getRevision: turn }),
  };
}

/** Rows added since the report was opened, newest first. */
export interface NewRows {
  rows: readonly ActivityRow[];
  /** More rows were added between two requests than a response holds: only reopening the report shows all of them. */
  hasGap: boolean;
}

export const NO_NEW_ROWS: NewRows = { rows: [], hasGap: false };

/** Adds the rows of a response to the current ones; a response holds at most `maxRows`. */
export function mergeNewRows(
  current: NewRows,
  answer: readonly ActivityRow[],
  since: number,
  maxRows: number,
): NewRows {
  const ids = new Set(current.rows.map(getRowId));
  const recent = answer.filter(({ eventDate }) => Date.parse(eventDate) >= since);
  const added = recent.filter((row) => !ids.has(getRowId(row)));
  if (added.length === 0) return current;
  const rows = [...added.map((row) => ({ ...row, isNew: true })), ...current.rows];
  return {
    // Concurrent transactions make rows visible out of order.
    rows: rows.toSorted(
      (a, b) =>
        Date.parse(b.eventDate) - Date.parse(a.eventDate) || (b.activityId ?? 0) - (a.activityId ?? 0),
    ),
    hasGap: current.hasGap || (answer.length >= maxRows && added.length === answer.length),
  };
}
