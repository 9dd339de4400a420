const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

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

/** Formats the storage of a site: "1.2 GB of 10 GB", or "1.2 GB" where it has no limit. */
export const formatStorage = ({
  storageUsedBytes: used,
  storageLimitBytes: limit,
}: {
  storageUsedBytes: number;
  storageLimitBytes: number | null;
}): string => (limit === null ? formatSize(used) : `${formatSize(used)} of ${formatSize(limit)}`);
