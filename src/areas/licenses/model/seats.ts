import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { LicenseSeats } from '../../../../contract/generated/types.gen.ts';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listLicenseSeatsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { subtractDays } from '../../../ui/chart/time-series.ts';
import type { TimeSeries } from '../../../ui/chart/time-series.ts';
import type { Range } from './view.ts';

/** Properties of a day, in the order of license types. */
const SEAT_KEYS = ['standard', 'limited', 'free', 'none'] as const;
/** Colors of the license types. */
export const TONES = [1, 2, 3, 4] as const;

/** Billable types come first (spec 2.2): the lower part of the stack. */
export const BILLABLE = { label: 'Billable', of: licenseTypes.filter(({ isBillable }) => isBillable).length };

const getToday = () => new Date().toISOString().slice(0, 10);

/** Seats by day, from `range` days ago to today. */
const seatsQuery = (range: Range) =>
  queryOptions({
    ...listLicenseSeatsOptions({ query: { dateFrom: subtractDays(getToday(), range) } }),
    placeholderData: keepPreviousData,
  });

/** Days and series of the chart. */
export function toTimeSeries(seats: readonly LicenseSeats[]): { days: string[]; series: TimeSeries[] } {
  return {
    days: seats.map(({ date }) => date),
    series: SEAT_KEYS.map((key, at) => ({
      label: licenseTypes[at]?.description ?? key,
      values: seats.map((day) => day[key]),
      tone: TONES[at] ?? 1,
    })),
  };
}

/** Number of seats by day, if the user may see it. */
export function useSeats(range: Range) {
  const { allowed } = usePermission('listLicenseSeats');
  const { data, error, isFetching, refetch, isPlaceholderData } = useQuery({
    ...seatsQuery(range),
    enabled: allowed,
  });
  const chart = useMemo(() => data && toTimeSeries(data), [data]);
  return {
    seats: data,
    drawn: chart,
    stale: isPlaceholderData,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
    isFetching,
  };
}

const COMPARISON_DAYS = 30;

/** Billable licenses 30 days ago; undefined if the data does not reach back that far. */
export function getBillableMonthAgo(seats: readonly LicenseSeats[]): number | undefined {
  const last = seats.at(-1);
  const day = last && subtractDays(last.date, COMPARISON_DAYS);
  return seats.find(({ date }) => date === day)?.billable;
}
