const MINUTE_SECONDS = 60;
const HOUR_MINUTES = 60;

const formatUnit = (value: number, unit: 'second' | 'minute' | 'hour') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(value);

/** Formats a duration: "25 sec", "3 min", "2 hr 5 min". */
export function formatDuration(seconds: number): string {
  const wholeSeconds = Math.max(1, Math.ceil(seconds));
  if (wholeSeconds < MINUTE_SECONDS) return formatUnit(wholeSeconds, 'second');
  const wholeMinutes = Math.round(seconds / MINUTE_SECONDS);
  if (wholeMinutes < HOUR_MINUTES) return formatUnit(wholeMinutes, 'minute');
  const minutes = wholeMinutes % HOUR_MINUTES;
  const hours = formatUnit(Math.floor(wholeMinutes / HOUR_MINUTES), 'hour');
  return minutes === 0 ? hours : `${hours} ${formatUnit(minutes, 'minute')}`;
}
