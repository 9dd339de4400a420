const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const MINUTE = 60;
const HOUR = 3600;

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

/** From where on a tenth is of no interest: 9.9 kB, but 12.3 MB. */
const WHOLE = [0, 10, 100, 100, 100];

/** "8.8 MB", "512 kB": as exact as anybody needs. */
export function sizeWords(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return formats[step]?.[value < (WHOLE[step] ?? 0) ? 1 : 0]?.format(value) ?? '';
}

/** "3.1 MB/s". */
export const speedWords = (bytesPerSecond: number): string => `${sizeWords(bytesPerSecond)}/s`;

const part = (value: number, unit: 'second' | 'minute' | 'hour') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(value);

/** "25 sec", "3 min", "2 hr 5 min": a time to wait, no more exact than it is known. */
export function durationWords(seconds: number): string {
  if (seconds < MINUTE) return part(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds < HOUR) return part(Math.round(seconds / MINUTE), 'minute');
  const minutes = Math.round((seconds % HOUR) / MINUTE);
  const hours = part(Math.floor(seconds / HOUR), 'hour');
  return minutes === 0 ? hours : `${hours} ${part(minutes, 'minute')}`;
}
