import type { UserActivityQuery } from '../../../../contract/generated/types.gen.ts';
import { EXPORT_ACTIVITY_TYPE } from '../../../../contract/rules/activity.ts';
import { DAY_MS, getReportStart } from './period.ts';
import type { PeriodBounds } from './period.ts';
import { DEFAULT_VIEW } from './view.ts';
import type { ActivityView } from './view.ts';

/** Query of a period. The service reports at least a day, so shorter periods need a second query for the difference. */
export interface ReportQuery {
  /** Covers at least a day (shapes 2). */
  query: UserActivityQuery;
  /**
   * Part of `query` that lies before a period of less than a day. Its rows are the oldest of the result and do not
   * belong to the period. Undefined for longer periods.
   */
  precedingDay: UserActivityQuery | undefined;
  from: number;
  to: number;
}

/** A single value uses the property that every installation supports; several use ours (shapes 2). */
function buildTypeFilter(types: readonly number[]): Pick<UserActivityQuery, 'activity' | 'activities'> {
  const [activity] = types;
  if (activity === undefined) return {};
  return types.length === 1 ? { activity } : { activities: [...types] };
}

function buildSourceFilter(sources: readonly number[]): Pick<UserActivityQuery, 'source' | 'sources'> {
  const [source] = sources;
  if (source === undefined) return {};
  return sources.length === 1 ? { source } : { sources: [...sources] };
}

/** Filters of a view without its period. */
function buildFilters(view: ActivityView): UserActivityQuery {
  const { people, principals, types, sources, exportType, exported, address, onlyProxy } = view;
  return {
    ...(people.length > 0 && { userIds: [...people] }),
    ...(principals.length > 0 && { principalUserIds: [...principals] }),
    ...buildTypeFilter(types),
    ...buildSourceFilter(sources),
    ...(exportType !== undefined && { exportDataType: exportType }),
    ...(exported !== '' && { exportedType: exported }),
    ...(address !== '' && { ipAddress: address }),
    ...(onlyProxy && { onlyProxy }),
  };
}

export const toIsoDate = (at: number): string => new Date(at).toISOString();

/** Builds the query of a view for a period; `now` is the time of the service. */
export function buildReportQuery(view: ActivityView, { from, to }: PeriodBounds, now: number): ReportQuery {
  const filters = buildFilters(view);
  const reportStart = getReportStart(now);
  // A period before the report is queried as it is: the service explains why it has no rows.
  if (to <= reportStart) {
    const query = { ...filters, dateFrom: toIsoDate(from), dateTo: toIsoDate(Math.max(to, from + DAY_MS)) };
    return { query, precedingDay: undefined, from, to };
  }
  const isShort = to - from < DAY_MS;
  // The first day of the report has no preceding day: it is reported as a whole.
  const start = isShort ? Math.max(from - DAY_MS, reportStart) : from;
  const isFirstDay = start + DAY_MS > from;
  return {
    query: {
      ...filters,
      // Without a start the service begins with its report, also if a day passes before the query is sent.
      ...(start > reportStart && { dateFrom: toIsoDate(start) }),
      dateTo: toIsoDate(Math.max(to, start + DAY_MS)),
    },
    precedingDay:
      isShort && !isFirstDay
        ? { ...filters, dateFrom: toIsoDate(start), dateTo: toIsoDate(from) }
        : undefined,
    from: isShort && isFirstDay ? start : from,
    to: isShort && isFirstDay ? start + DAY_MS : to,
  };
}

/** Query of the rows added since a time. Older rows of the same day follow them in the result. */
export const buildNewRowsQuery = (view: ActivityView, since: number): UserActivityQuery => ({
  ...buildFilters(view),
  dateFrom: toIsoDate(since - DAY_MS),
});

/** Query stored in an investigation: at least a day, without an end if the period is open. */
export function buildInvestigationQuery(
  view: ActivityView,
  { from, to, isOpen }: PeriodBounds,
  now: number,
): UserActivityQuery {
  const start = Math.max(Math.min(from, to - DAY_MS), getReportStart(now));
  return {
    ...buildFilters(view),
    dateFrom: toIsoDate(start),
    ...(!isOpen && { dateTo: toIsoDate(Math.max(to, start + DAY_MS)) }),
  };
}

/** View of a stored query. An open end stays open. */
export function toView(query: UserActivityQuery): ActivityView {
  const { activity, activities, source, sources, exportDataType: kind, exportedType = '' } = query;
  const from = query.dateFrom === undefined ? undefined : Date.parse(query.dateFrom);
  const to = query.dateTo === undefined ? undefined : Date.parse(query.dateTo);
  const types = activities ?? (activity === undefined ? [] : [activity]);
  return {
    ...DEFAULT_VIEW,
    period: from === undefined ? { preset: '90' } : { from, to },
    people: query.userIds ?? [],
    principals: query.principalUserIds ?? [],
    types: kind === undefined && exportedType === '' ? types : [EXPORT_ACTIVITY_TYPE],
    sources: sources ?? (source === undefined ? [] : [source]),
    exportType: kind,
    exported: exportedType,
    address: query.ipAddress ?? '',
    onlyProxy: query.onlyProxy ?? false,
  };
}
