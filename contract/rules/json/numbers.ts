/** Whether a number survives being read as a double, the only number that JSON parsers of JavaScript know (shapes 1, numbers). */

/** Numbers with at most this many characters and without an exponent have at most 15 digits, which a double always keeps. */
const MAX_SAFE_LENGTH = 15;
const HAS_EXPONENT_OR_RADIX = /[ex]/i;
// The integer part and the fraction are separated by the point alone, so that a text that does not match takes linear time.
const DECIMAL = /^[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
const HEXADECIMAL = /^[+-]?(0x[\da-f]+)$/i;
const ZERO = '0'.charCodeAt(0);
const MAX_EXCERPT_LENGTH = 40;

/** Digits without leading and trailing zeros, and the power of ten of the last one; undefined if the text is no decimal number. */
function parseDecimal(literal: string): { digits: string; exponent: number } | undefined {
  const [match, integer = '', fraction = '', power = '0'] = DECIMAL.exec(literal) ?? [];
  if (match === undefined || integer + fraction === '') return undefined;
  const digits = integer + fraction;
  let start = 0;
  while (start < digits.length && digits.charCodeAt(start) === ZERO) start += 1;
  let end = digits.length;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  // Zero is the same number with any exponent.
  if (start === end) return { digits: '', exponent: 0 };
  return {
    digits: digits.slice(start, end),
    exponent: Number(power) - fraction.length + digits.length - end,
  };
}

/** Whether two decimal notations are the same number: `1e3` and `1000.0`. */
export function isSameNumber(one: string, other: string): boolean {
  const [first, second] = [parseDecimal(one), parseDecimal(other)];
  if (!first || !second) return false;
  return first.digits === second.digits && first.exponent === second.exponent;
}

/** The double that a literal becomes. JSON5 allows a sign before a hexadecimal number, `Number` does not. */
function toDouble(literal: string): number {
  const [, hexadecimal] = HEXADECIMAL.exec(literal) ?? [];
  if (hexadecimal === undefined) return Number(literal);
  return literal.startsWith('-') ? -Number(hexadecimal) : Number(hexadecimal);
}

function isKeptExactly(literal: string): boolean {
  if (literal.length <= MAX_SAFE_LENGTH && !HAS_EXPONENT_OR_RADIX.test(literal)) return true;
  const [, hexadecimal] = HEXADECIMAL.exec(literal) ?? [];
  if (hexadecimal !== undefined) {
    const integer = Number(hexadecimal);
    return Number.isFinite(integer) && BigInt(integer) === BigInt(hexadecimal);
  }
  return parseDecimal(literal) === undefined || isSameNumber(literal, String(Number(literal)));
}

/**
 * Returns the error message for a number that a double cannot represent as written, because it is out of range or has too many
 * digits; undefined if nothing is lost. Another notation of the same number is no reason: `1.0`, `1e3`, `0.10`. A text that is no
 * number in decimal or hexadecimal notation has no error. Takes time linear in the length of the text.
 */
export function findNumberLoss(literal: string): string | undefined {
  if (isKeptExactly(literal)) return undefined;
  const excerpt = literal.length > MAX_EXCERPT_LENGTH ? `${literal.slice(0, MAX_EXCERPT_LENGTH)}…` : literal;
  const value = toDouble(literal);
  return Number.isFinite(value) || Number.isNaN(value)
    ? `${excerpt} cannot be stored exactly: it would become ${value}`
    : `${excerpt} is too large a number`;
}
