/** Numbers in texts of the service, which are English. */

/** Formats a number with grouping: 98,412. */
export const formatNumber = (value: number): string => value.toLocaleString('en');

/** Formats a number with its noun: `1 person`, `1,204 people`, `3 files`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
