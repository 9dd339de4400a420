const whole = new Intl.NumberFormat();

/** Formats a whole number with the grouping of the locale: 98,412. */
export const formatNumber = (value: number): string => whole.format(value);

/** Formats a number with its noun: "1 person", "1,204 people". */
export const pluralize = (value: number, one: string, many: string): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;
