import { CommandError } from './commands/command.ts';

/** Parses an option that is a whole number within the bounds. @throws CommandError naming the bounds */
export function parseNumberOption(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new CommandError(`${name}: a whole number from ${min} to ${max}`);
}

/** Parses `--as-of`; default: now. @throws CommandError for an invalid date */
export function parseAsOfOption(text: string | undefined): Date {
  const asOf = text === undefined ? new Date() : new Date(text);
  if (Number.isNaN(asOf.getTime())) throw new CommandError('--as-of: a date such as 2026-11-20');
  return asOf;
}
