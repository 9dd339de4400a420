import { queryOptions } from '@tanstack/react-query';
import type { InvestigationInfo } from '../../../../contract/generated/types.gen.ts';
import { withEtag } from '../../../api/etag.ts';
import { readInvestigationQueryKey } from '../../../api/generated/queries/activity.gen.ts';
import { readInvestigation } from '../../../api/generated/sdk/activity.gen.ts';
import { MAX_PAGE_SIZE, loadActivityPage } from '../model/activity-data.ts';
import { DAY_MS, getReportStart } from '../model/period.ts';
import { getRowId } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';

/** Loads an investigation and its rows, with the entity tag. */
export const investigationQuery = (id: number) =>
  queryOptions({
    queryKey: readInvestigationQueryKey({ path: { id } }),
    queryFn: async ({ signal }) => withEtag(await readInvestigation({ path: { id }, signal })),
  });

/** Query of the rows that match an investigation now; undefined if its period lies before the report. */
export function buildCurrentQuery({ query }: InvestigationInfo, now: number) {
  const { dateFrom, dateTo, ...filters } = query;
  const reportStart = getReportStart(now);
  if (dateTo !== undefined && Date.parse(dateTo) < reportStart + DAY_MS) return undefined;
  return {
    ...filters,
    ...(dateFrom !== undefined && Date.parse(dateFrom) > reportStart && { dateFrom }),
    ...(dateTo !== undefined && { dateTo }),
  };
}

/** Difference between the frozen rows of an investigation and the rows that match now. */
export interface Comparison {
  /** Rows that match now and were not frozen, newest first. */
  added: readonly ActivityRow[];
  /** Number of compared rows; set if more rows match than a response holds. */
  comparedCount: number | undefined;
  /** Number of frozen rows that are older than the report. */
  expiredCount: number;
}

/** Compares the frozen rows with the newest rows that match now. */
export function compareRows(
  frozen: readonly ActivityRow[],
  current: { totalRecords: number; rows: readonly ActivityRow[] },
  at: number,
): Comparison {
  const frozenIds = new Set(frozen.map(getRowId));
  const oldest = frozen.at(-1);
  // Only the newest rows are frozen: older ones that match existed already.
  const since = oldest && frozen.length >= MAX_PAGE_SIZE ? Date.parse(oldest.eventDate) : 0;
  return {
    added: current.rows.filter((row) => !frozenIds.has(getRowId(row)) && Date.parse(row.eventDate) >= since),
    comparedCount: current.totalRecords > current.rows.length ? current.rows.length : undefined,
    expiredCount: frozen.filter(({ eventDate }) => Date.parse(eventDate) < getReportStart(at)).length,
  };
}

/** Loads the comparison of an investigation with the rows that match now. */
export const comparisonQuery = (info: InvestigationInfo, frozen: readonly ActivityRow[], now: number) =>
  queryOptions({
    queryKey: [{ _id: 'queryUserActivity', compared: info.id, now }],
    async queryFn({ signal }): Promise<Comparison> {
      const query = buildCurrentQuery(info, now);
      if (!query) return { added: [], comparedCount: undefined, expiredCount: frozen.length };
      return compareRows(
        frozen,
        await loadActivityPage(query, { pageNumber: 1, pageSize: MAX_PAGE_SIZE }, signal),
        now,
      );
    },
    staleTime: Infinity,
  });
