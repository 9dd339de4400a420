import { foldText } from '../../../contract/rules/fold-text.ts';

const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const SPACES = /\s+/;
const PLAIN_NAME = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u;
/** Number of an item in a numbered list. */
const NUMBERING = /^\d{1,4}[.)]\s+(?=\S)/;

/** Removes surrounding punctuation: quotes, brackets, bullets, stops. */
export function trimPunctuation(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && !WORD_CHARACTER.test(text[start] ?? '') && !isSurrogate(text, start)) start += 1;
  while (end > start && !WORD_CHARACTER.test(text[end - 1] ?? '') && !isSurrogate(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

/** Whether the character is half of a surrogate pair, which counts as a letter. */
const isSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xf800) === 0xd800;

/** Removes the bullet or list number of an entry. */
export const stripNumbering = (text: string): string =>
  trimPunctuation(trimPunctuation(text).replace(NUMBERING, ''));

/** Returns the lookup key of a folded name, independent of dots and spaces. */
export function toNameKey(folded: string): string {
  if (PLAIN_NAME.test(folded)) return folded;
  return splitWords(folded).join(' ');
}

/** Returns the lookup key of users with a given name. */
export const toGivenNameKey = (words: string): string => `given\n${words}`;
/** Returns the lookup key of users with a family name. */
export const toFamilyNameKey = (words: string): string => `family\n${words}`;

/** Splits a text into words without surrounding punctuation. */
export const splitWords = (text: string): string[] =>
  text
    .split(SPACES)
    .map(trimPunctuation)
    .filter((word) => word !== '');

/** Splits a text into folded words. */
export const splitFoldedWords = (text: string): string[] => splitWords(foldText(text));
