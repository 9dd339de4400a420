/** Reads an option that is a whole number. @throws Error with its bounds */
export function readNumber(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw new Error(`${name}: a whole number from ${low} to ${high}`);
}

/** Reads `--as-of`; by default now. @throws Error for what is no date */
export function readAsOf(text: string | undefined): Date {
  const asOf = text === undefined ? new Date() : new Date(text);
  if (Number.isNaN(asOf.getTime())) throw new Error('--as-of: a date such as 2026-11-20');
  return asOf;
}
