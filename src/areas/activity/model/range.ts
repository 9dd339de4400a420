import { ACTIVITY_DAYS } from '../../../../contract/rules/activity.ts';
import type { Preset, Range } from './presets.ts';
import { startOfDay } from '../../../lib/site-zone.ts';

const HOUR = 3_600_000;
/** The least period that the service reports (shapes 2). */
export const DAY = 24 * HOUR;

export const PRESET_WORDS: Readonly<Record<Preset, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
};

export interface Bounds {
  from: number;
  /** Not part of it. */
  to: number;
  /** Whether what happens next belongs to it. */
  open: boolean;
}

/** The first moment of the report: where the day (of UTC) begins that lies so many days back. */
export const reachOf = (now: number): number => (Math.floor(now / DAY) - ACTIVITY_DAYS) * DAY;

/** Whether a period begins before the report does: it is told from where the report begins. */
export const isCut = (range: Range, now: number): boolean =>
  'from' in range && range.from < reachOf(now) && (range.to ?? now) > reachOf(now);

/** A period as moments, for somebody whose clock shows `now`; one that lies before the report stays as it is. */
export function boundsOf(range: Range, now: number, zone: string): Bounds {
  if (!('preset' in range)) {
    const { to = now } = range;
    const from = isCut(range, now) ? reachOf(now) : range.from;
    return { from, to: Math.min(to, now), open: to >= now };
  }
  const today = startOfDay(now, zone);
  if (range.preset === 'today') return { from: today, to: now, open: true };
  if (range.preset === 'yesterday') return { from: startOfDay(today - 1, zone), to: today, open: false };
  if (range.preset === '90') return { from: reachOf(now), to: now, open: true };
  return { from: now - Number(range.preset) * DAY, to: now, open: true };
}

/** What is wrong with a period between two moments, in words; undefined where nothing is. */
export function faultOf(from: number | undefined, to: number | undefined, now: number): string | undefined {
  if (from === undefined) return 'Choose when it begins';
  if (from < reachOf(now)) return `The report reaches back ${ACTIVITY_DAYS} days`;
  if (from > now) return 'This is in the future';
  if (to !== undefined && to <= from) return 'The end must come after the beginning';
  return undefined;
}

/** Twice as far on both sides, as far as the report reaches and the time has come. */
export function widened({ from, to }: Bounds, now: number): Range {
  const room = Math.max((to - from) / 2, HOUR);
  const end = to + room;
  return { from: Math.max(from - room, reachOf(now)), to: end >= now ? undefined : end };
}

/** The period between two moments, which ends with the time itself where that has not come. */
export const between = (from: number, to: number, now: number): Range => ({
  from,
  to: to >= now ? undefined : to,
});
