import { activityId } from './row.ts';
import type { ActivityRow } from './row.ts';

/** What came since the report was opened, the newest first. */
export interface Newer {
  rows: readonly ActivityRow[];
  /** More came at once than an answer holds: some between are missing, and only a new report has them. */
  gap: boolean;
}

export const NOTHING_NEWER: Newer = { rows: [], gap: false };

/** Joins an answer to what is known; `full` is as many rows as an answer can hold. */
export function joined(known: Newer, answer: readonly ActivityRow[], since: number, full: number): Newer {
  const ids = new Set(known.rows.map(activityId));
  const came = answer.filter(({ eventDate }) => Date.parse(eventDate) >= since);
  const fresh = came.filter((row) => !ids.has(activityId(row)));
  if (fresh.length === 0) return known;
  const rows = [...fresh.map((row) => ({ ...row, fresh: true })), ...known.rows];
  return {
    // Rows may become visible out of order: what was written first can be told last.
    rows: rows.toSorted(
      (a, b) =>
        Date.parse(b.eventDate) - Date.parse(a.eventDate) || (b.activityId ?? 0) - (a.activityId ?? 0),
    ),
    gap: known.gap || (answer.length >= full && fresh.length === answer.length),
  };
}
