import { ACTIVITY_RETENTION_DAYS } from '../../../../contract/rules/activity.ts';
import { getStartOfDay } from '../../../lib/dates/time-zones.ts';

const HOUR_MS = 3_600_000;
/** Shortest period that the service reports (shapes 2). */
export const DAY_MS = 24 * HOUR_MS;

export const PRESETS = ['today', 'yesterday', '7', '30', '90'] as const;
export type Preset = (typeof PRESETS)[number];
export const DEFAULT_PRESET: Preset = '7';

/** A selected period: a preset relative to the current time, or between two times in milliseconds. */
export type Period = { preset: Preset } | { from: number; to: number | undefined };

export const PRESET_LABELS: Readonly<Record<Preset, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
};

/** A period resolved to times in milliseconds. */
export interface PeriodBounds {
  from: number;
  /** Exclusive. */
  to: number;
  /** Whether rows that are added later belong to the period. */
  isOpen: boolean;
}

/** Start of the report: midnight UTC, `ACTIVITY_RETENTION_DAYS` days ago. */
export const getReportStart = (now: number): number =>
  (Math.floor(now / DAY_MS) - ACTIVITY_RETENTION_DAYS) * DAY_MS;

/** Whether a period starts before the report and is therefore cut off at its start. */
export const startsBeforeReport = (period: Period, now: number): boolean =>
  'from' in period && period.from < getReportStart(now) && (period.to ?? now) > getReportStart(now);

/** Resolves a period at the time `now`. A period that lies wholly before the report is not cut off. */
export function resolvePeriod(period: Period, now: number, zone: string): PeriodBounds {
  if (!('preset' in period)) {
    const { to = now } = period;
    const from = startsBeforeReport(period, now) ? getReportStart(now) : period.from;
    return { from, to: Math.min(to, now), isOpen: to >= now };
  }
  const today = getStartOfDay(now, zone);
  if (period.preset === 'today') return { from: today, to: now, isOpen: true };
  if (period.preset === 'yesterday')
    return { from: getStartOfDay(today - 1, zone), to: today, isOpen: false };
  if (period.preset === '90') return { from: getReportStart(now), to: now, isOpen: true };
  return { from: now - Number(period.preset) * DAY_MS, to: now, isOpen: true };
}

/** Error message for a custom period; undefined if it is valid. */
export function getPeriodError(
  from: number | undefined,
  to: number | undefined,
  now: number,
): string | undefined {
  if (from === undefined) return 'Enter a start';
  if (from < getReportStart(now)) return `The report covers the last ${ACTIVITY_RETENTION_DAYS} days`;
  if (from > now) return 'The start is in the future';
  if (to !== undefined && to <= from) return 'The end must be after the start';
  return undefined;
}

/** Doubles the length of a period around its centre, limited to the report and the current time. */
export function widenPeriod({ from, to }: PeriodBounds, now: number): Period {
  const margin = Math.max((to - from) / 2, HOUR_MS);
  const end = to + margin;
  return { from: Math.max(from - margin, getReportStart(now)), to: end >= now ? undefined : end };
}

/** Period between two times, open if its end is not in the past. */
export const createPeriod = (from: number, to: number, now: number): Period => ({
  from,
  to: to >= now ? undefined : to,
});
