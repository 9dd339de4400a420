import { activityNames, exportTypeNames, activitySourceNames } from '../../../../contract/rules/activity.ts';
import { resolvePeriod, PRESET_LABELS } from './period.ts';
import type { Period } from './period.ts';
import type { ActivityView } from './view.ts';

/** Label of a period: the name of the preset, or its bounds. */
export function formatPeriod(period: Period, now: number, zone: string): string {
  if ('preset' in period) return PRESET_LABELS[period.preset];
  const { from, to } = resolvePeriod(period, now, zone);
  return period.to === undefined ? `Since ${formatTimeRange(from, from)}` : formatTimeRange(from, to);
}

const formatList = (label: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];

/** One text per filter of a view, without the period: "Type: Login Failed", "Source: API". */
export function formatFilters(view: ActivityView, getName: (userId: number) => string): string[] {
  const { people, principals, types, sources, exportType, exported, address, onlyProxy } = view;
  return [
    ...formatList('People', people.map(getName)),
    ...formatList('For', principals.map(getName)),
    ...formatList(
      'Type',
      types.map((type) => activityNames[type] ?? String(type)),
    ),
    ...formatList(
      'Export type',
      exportType === undefined ? [] : [exportTypeNames[exportType] ?? String(exportType)],
    ),
    ...formatList('Exported', exported === '' ? [] : [exported]),
    ...formatList(
      'Source',
      sources.map((source) => activitySourceNames[source] ?? String(source)),
    ),
    ...formatList('IP address', address === '' ? [] : [address]),
    ...(onlyProxy ? ['Only through a proxy'] : []),
  ];
}

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dateTimeFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const rangeFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Time of a row: the time of day, preceded by the day unless it is today. */
export function formatRowTime(at: string, now = new Date()): string {
  const date = new Date(at);
  return (date.toDateString() === now.toDateString() ? timeFormat : dateTimeFormat).format(date);
}

/** Range of two times: "20 Nov, 08:00 – 21 Nov, 09:30". */
export const formatTimeRange = (from: number, to: number): string => rangeFormat.formatRange(from, to);

export const formatDay = (at: number): string => dateFormat.format(at);
