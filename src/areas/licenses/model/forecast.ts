import type { LicenseSeats } from '../../../../contract/generated/types.gen.ts';
import { formatDifference, formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatStep } from '../../../ui/chart/time-series.ts';

/** Days after which a forecast is not shown: extensions and new memberships make it worthless. */
const MAX_FORECAST_DAYS = 90;

/** Number of days of the forecast beside a range of past days. */
export const getForecastDays = (range: number): number => Math.min(range, MAX_FORECAST_DAYS);

/** A forecast in words: how many temporary memberships end, and what is billable then. @param now the seats of today */
export function formatForecast(now: LicenseSeats, forecast: readonly LicenseSeats[]): string | undefined {
  const last = forecast.at(-1);
  if (!last) return undefined;
  const days = pluralize(forecast.length, 'day', 'days');
  // Every membership that ends leaves a user without a license.
  const ends = last.none - now.none;
  if (ends <= 0) return `No temporary membership with a license ends in the next ${days}.`;
  const verb = ends === 1 ? 'membership with a license ends' : 'memberships with a license end';
  const difference = last.billable - now.billable;
  const comparison = difference === 0 ? 'as today' : formatDifference(difference);
  return `Forecast: ${formatNumber(ends)} temporary ${verb} in the next ${days}, unless extended. ${formatNumber(last.billable)} billable on ${formatStep(last.date)} (${comparison}).`;
}
