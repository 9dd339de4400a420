const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** Formats a share as a whole percentage: 0.45 as 45%. */
export const formatPercent = (share: number): string => percent.format(share);

/** Formats the share that is done, rounded down: 100% at the end only. */
export const formatProgressPercent = (share: number): string => formatPercent(Math.floor(share * 100) / 100);

const relative = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

/** Formats a relative difference with its sign: 0.137 as +13.7%. */
export const formatRelativeDifference = (share: number): string => relative.format(share);
