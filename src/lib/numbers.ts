const whole = new Intl.NumberFormat();

/** A whole number with the reader's grouping: 98,412. */
export const count = (value: number): string => whole.format(value);

/** A number with its noun: "1 person", "1,204 people". */
export const counted = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`;
