import { foldText } from '../../../contract/rules/fold-text.ts';

/** Parsed value of a cell, or the reason why it is invalid. */
export type ParseResult<Value> = { value: Value } | { error: string };

/** Folded words accepted as yes. */
export const TRUE_WORDS = new Set([
  'yes',
  'y',
  'true',
  '1',
  'on',
  'x',
  'ja',
  'oui',
  'si',
  'enabled',
  'required',
]);
/** Folded words accepted as no. */
export const FALSE_WORDS = new Set(['no', 'n', 'false', '0', 'off', 'nein', 'non', 'disabled']);

const MAX_QUOTED_LENGTH = 40;
/** Quotes a text of the file for a message, shortened if necessary. */
export const quoteExcerpt = (text: string): string =>
  `“${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}”`;

/** Parses a yes or no cell. */
export function parseSwitch(text: string): ParseResult<boolean> {
  const word = foldText(text.trim());
  if (TRUE_WORDS.has(word)) return { value: true };
  return FALSE_WORDS.has(word) ? { value: false } : { error: `${quoteExcerpt(text)} is neither yes nor no` };
}
