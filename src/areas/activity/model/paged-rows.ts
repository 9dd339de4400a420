import type { RowSource } from '../../../ui/table/row-source.ts';
import { getRowId } from './row.ts';
import type { ActivityRow } from './row.ts';

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
