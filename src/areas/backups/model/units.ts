const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

const formats = UNITS.map((unit, step) =>
  [0, 1].map(
    (digits) =>
      new Intl.NumberFormat(undefined, {
        style: 'unit',
        unit,
        unitDisplay: step === 0 ? 'long' : 'short',
        maximumFractionDigits: digits,
      }),
  ),
);

/** Value per unit from which no decimal is shown: 9.9 kB, 12 kB, but 12.3 MB. */
const WHOLE_NUMBER_FROM = [0, 10, 100, 100, 100];

/** Formats a number of bytes: "8.8 MB", "512 kB". */
export function formatSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return formats[step]?.[value < (WHOLE_NUMBER_FROM[step] ?? 0) ? 1 : 0]?.format(value) ?? '';
}

/** Formats a transfer speed: "3.1 MB/s". */
export const formatSpeed = (bytesPerSecond: number): string => `${formatSize(bytesPerSecond)}/s`;

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
