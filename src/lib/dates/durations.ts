const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

const formatUnit = (value: number, unit: 'second' | 'minute' | 'hour') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(value);

/** Formats a duration: "25 sec", "3 min", "2 hr 5 min". */
export function formatDuration(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return formatUnit(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds < HOUR_SECONDS) return formatUnit(Math.round(seconds / MINUTE_SECONDS), 'minute');
  const minutes = Math.round((seconds % HOUR_SECONDS) / MINUTE_SECONDS);
  const hours = formatUnit(Math.floor(seconds / HOUR_SECONDS), 'hour');
  return minutes === 0 ? hours : `${hours} ${formatUnit(minutes, 'minute')}`;
}
