import { EXPORT_ACTIVITY } from '../../../../contract/rules/activity.ts';
import type { UserActivityQuery } from '../../../api/generated/types.gen.ts';
import { DAY, reachOf } from './range.ts';
import type { Bounds } from './range.ts';
import { DEFAULT_VIEW } from './view.ts';
import type { ActivityView } from './view.ts';

/** What the service is asked, and which part of its answer lies in the period. */
export interface Question {
  /** Over a day at least, which is the least that may be asked for (shapes 2). */
  query: UserActivityQuery;
  /**
   * The day before a shorter period, where the query begins with it: so many of its rows, the oldest, do not belong
   * to the answer.
   */
  before: UserActivityQuery | undefined;
  from: number;
  to: number;
}

/** One value goes where other installations know it, several where only this service does (shapes 2). */
function typesOf(types: readonly number[]): Pick<UserActivityQuery, 'activity' | 'activities'> {
  const [activity] = types;
  if (activity === undefined) return {};
  return types.length === 1 ? { activity } : { activities: [...types] };
}

function sourcesOf(sources: readonly number[]): Pick<UserActivityQuery, 'source' | 'sources'> {
  const [source] = sources;
  if (source === undefined) return {};
  return sources.length === 1 ? { source } : { sources: [...sources] };
}

/** Everything that a view asks for but its period. */
function filtersOf(view: ActivityView): UserActivityQuery {
  const { people, principals, types, sources, kind, address, onlyProxy } = view;
  return {
    ...(people.length > 0 && { userIds: [...people] }),
    ...(principals.length > 0 && { principalUserIds: [...principals] }),
    ...typesOf(types),
    ...sourcesOf(sources),
    ...(kind !== undefined && { exportDataType: kind }),
    ...(address !== '' && { ipAddress: address }),
    ...(onlyProxy && { onlyProxy }),
  };
}

/** A moment as the service takes it. */
export const iso = (at: number): string => new Date(at).toISOString();

/** What is asked for a view over a period; `now` is the service's own time, as far as it is known. */
export function questionOf(view: ActivityView, { from, to }: Bounds, now: number): Question {
  const filters = filtersOf(view);
  const reach = reachOf(now);
  // Rows that are told no longer are asked for all the same: the service says why there are none.
  if (to <= reach) {
    const query = { ...filters, dateFrom: iso(from), dateTo: iso(Math.max(to, from + DAY)) };
    return { query, before: undefined, from, to };
  }
  const short = to - from < DAY;
  // The first day of the report has none before it: it is told whole.
  const begin = short ? Math.max(from - DAY, reach) : from;
  const whole = begin + DAY > from;
  return {
    query: {
      ...filters,
      // At its reach or before it the service begins by itself, later too when a day has passed meanwhile.
      ...(begin > reach && { dateFrom: iso(begin) }),
      dateTo: iso(Math.max(to, begin + DAY)),
    },
    before: short && !whole ? { ...filters, dateFrom: iso(begin), dateTo: iso(from) } : undefined,
    from: short && whole ? begin : from,
    to: short && whole ? begin + DAY : to,
  };
}

/** What came after a moment, and still comes: rows before it are among the answer, after them. */
export const questionSince = (view: ActivityView, since: number): UserActivityQuery => ({
  ...filtersOf(view),
  dateFrom: iso(since - DAY),
});

/** What is kept of a view: a day at least, and open at its end where the period is. */
export function queryToKeep(view: ActivityView, { from, to, open }: Bounds, now: number): UserActivityQuery {
  const begin = Math.max(Math.min(from, to - DAY), reachOf(now));
  return {
    ...filtersOf(view),
    dateFrom: iso(begin),
    ...(!open && { dateTo: iso(Math.max(to, begin + DAY)) }),
  };
}

/** The view that asks the same; what a query leaves open stays open. */
export function toView(query: UserActivityQuery): ActivityView {
  const { activity, activities, source, sources, exportDataType: kind } = query;
  const from = query.dateFrom === undefined ? undefined : Date.parse(query.dateFrom);
  const to = query.dateTo === undefined ? undefined : Date.parse(query.dateTo);
  const types = activities ?? (activity === undefined ? [] : [activity]);
  return {
    ...DEFAULT_VIEW,
    range: from === undefined ? { preset: '90' } : { from, to },
    people: query.userIds ?? [],
    principals: query.principalUserIds ?? [],
    types: kind === undefined ? types : [EXPORT_ACTIVITY],
    sources: sources ?? (source === undefined ? [] : [source]),
    kind,
    address: query.ipAddress ?? '',
    onlyProxy: query.onlyProxy ?? false,
  };
}
