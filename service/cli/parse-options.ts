import { ApiError } from '../kernel/api-error.ts';
import { parseTimestamp } from '../kernel/http/parameters.ts';
import { CommandError } from './commands/command.ts';

/** Parses an option that is a whole number within the bounds. @throws CommandError naming the bounds */
export function parseNumberOption(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new CommandError(`${name}: a whole number from ${min} to ${max}`);
}

const DAY_OR_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/i;

/** Parses `--as-of`, without a time zone in UTC; default: now. @throws CommandError for a day or time that does not exist */
export function parseAsOfOption(text: string | undefined): Date {
  if (text === undefined) return new Date();
  try {
    if (DAY_OR_TIME.test(text)) return parseTimestamp('--as-of', text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  throw new CommandError(
    `--as-of: an existing day such as 2026-11-20, or a time such as 2026-11-20T08:00Z, but not ${text}`,
  );
}
