import { queryOptions } from '@tanstack/react-query';
import { readInvestigationOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { InvestigationInfo } from '../../../api/generated/types.gen.ts';
import { LARGEST_PAGE, readActivity } from '../model/data.ts';
import { DAY, reachOf } from '../model/range.ts';
import { activityId } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';

/** One investigation with its rows. */
export const investigationQuery = (id: number) => readInvestigationOptions({ path: { id } });

/** What is asked to see an investigation as it would be now; undefined where the report no longer reaches it. */
export function questionNow({ query }: InvestigationInfo, now: number) {
  const { dateFrom, dateTo, ...filters } = query;
  const reach = reachOf(now);
  if (dateTo !== undefined && Date.parse(dateTo) < reach + DAY) return undefined;
  return {
    ...filters,
    ...(dateFrom !== undefined && Date.parse(dateFrom) > reach && { dateFrom }),
    ...(dateTo !== undefined && { dateTo }),
  };
}

export interface Comparison {
  /** Rows that match now and were not frozen, the newest first. */
  added: readonly ActivityRow[];
  /** Set where more match than the service gives at once: the newest of them were compared. */
  ofNewest: number | undefined;
  /** How many frozen rows are older than the report reaches now. */
  beyond: number;
}

/** What frozen rows and those of now have not in common. */
export function compared(
  frozen: readonly ActivityRow[],
  now: { totalRecords: number; rows: readonly ActivityRow[] },
  at: number,
): Comparison {
  const known = new Set(frozen.map(activityId));
  const oldest = frozen.at(-1);
  // Only the newest rows are frozen: older ones that match were there already.
  const since = oldest && frozen.length >= LARGEST_PAGE ? Date.parse(oldest.eventDate) : 0;
  return {
    added: now.rows.filter((row) => !known.has(activityId(row)) && Date.parse(row.eventDate) >= since),
    ofNewest: now.totalRecords > now.rows.length ? now.rows.length : undefined,
    beyond: frozen.filter(({ eventDate }) => Date.parse(eventDate) < reachOf(at)).length,
  };
}

/** Compares an investigation with what matches at this moment. */
export const comparisonQuery = (info: InvestigationInfo, frozen: readonly ActivityRow[], now: number) =>
  queryOptions({
    queryKey: [{ _id: 'queryUserActivity', compared: info.id, now }],
    async queryFn({ signal }): Promise<Comparison> {
      const query = questionNow(info, now);
      if (!query) return { added: [], ofNewest: undefined, beyond: frozen.length };
      return compared(
        frozen,
        await readActivity(query, { pageNumber: 1, pageSize: LARGEST_PAGE }, signal),
        now,
      );
    },
    staleTime: Infinity,
  });
