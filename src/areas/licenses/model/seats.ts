import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listLicenseSeatsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { LicenseSeats } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { dayBefore } from '../../../ui/chart/stack.ts';
import type { TimeSeries } from '../../../ui/chart/stack.ts';
import type { Range } from './view.ts';

/** The name of each license type in a day of seats. */
const KEYS = ['standard', 'limited', 'free', 'none'] as const;
/** The colour of each, in the chart and beside its number. */
export const TONES = [1, 2, 3, 4] as const;

/** The billable types are the first two of spec 2.2: the lower part of the stack. */
export const BILLABLE = { label: 'Billable', of: licenseTypes.filter(({ isBillable }) => isBillable).length };

const today = () => new Date().toISOString().slice(0, 10);

/** Seats of so many days back and of today. */
const seatsQuery = (range: Range) =>
  queryOptions({
    ...listLicenseSeatsOptions({ query: { dateFrom: dayBefore(today(), range) } }),
    placeholderData: keepPreviousData,
  });

/** Days and series of a chart. */
export function seriesOf(seats: readonly LicenseSeats[]): { days: string[]; series: TimeSeries[] } {
  return {
    days: seats.map(({ date }) => date),
    series: KEYS.map((key, at) => ({
      label: licenseTypes[at]?.description ?? key,
      values: seats.map((day) => day[key]),
      tone: TONES[at] ?? 1,
    })),
  };
}

/** The number of seats by day, as far as this person may see it and this service offers it. */
export function useSeats(range: Range) {
  const { allowed } = useAllowed('listLicenseSeats');
  const { data, error, isFetching, refetch, isPlaceholderData } = useQuery({
    ...seatsQuery(range),
    enabled: allowed,
  });
  const drawn = useMemo(() => data && seriesOf(data), [data]);
  return {
    seats: data,
    drawn,
    stale: isPlaceholderData,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
    isFetching,
  };
}

const MONTH = 30;

/** What was billed 30 days ago; undefined where the days do not reach back so far. */
export function billableBefore(seats: readonly LicenseSeats[]): number | undefined {
  const last = seats.at(-1);
  const day = last && dayBefore(last.date, MONTH);
  return seats.find(({ date }) => date === day)?.billable;
}
