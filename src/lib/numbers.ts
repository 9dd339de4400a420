const whole = new Intl.NumberFormat();

/** Formats a whole number with the grouping of the locale: 98,412. */
export const formatNumber = (value: number): string => whole.format(value);

const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

/** Formats a difference with its sign and a true minus: +12, −3, 0. */
export const formatDifference = (value: number): string => signed.format(value).replace('-', '−');

/** Formats a number with its noun: "1 person", "1,204 people". */
export const pluralize = (value: number, one: string, many: string): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;
