import { fold } from '../../lib/fold.ts';

const INSIDE = /[\p{L}\p{N}]/u;
const SPACES = /\s+/;
const PLAIN = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u;
/** An entry of a numbered list. */
const NUMBERING = /^\d{1,4}[.)]\s+(?=\S)/;

/** The text without what stands around it: quotes, brackets, bullets, stops. */
export function bare(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && !INSIDE.test(text[start] ?? '') && !isSurrogate(text, start)) start += 1;
  while (end > start && !INSIDE.test(text[end - 1] ?? '') && !isSurrogate(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

/** Half a letter of a rare script is a letter as well. */
const isSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xf800) === 0xd800;

/** The text of a cell without its bullet or number in a list. */
export const withoutNumbering = (text: string): string => bare(bare(text).replace(NUMBERING, ''));

/** A folded name as it is looked up, however it was dotted and spaced. */
export function nameKey(folded: string): string {
  if (PLAIN.test(folded)) return folded;
  return wordsIn(folded).join(' ');
}

/** What is looked up for a name that stands alone: people with this given name, or this family name. */
export const givenKey = (words: string): string => `given\n${words}`;
export const familyKey = (words: string): string => `family\n${words}`;

/** The bare words of a text. */
export const wordsIn = (text: string): string[] =>
  text
    .split(SPACES)
    .map(bare)
    .filter((word) => word !== '');

/** The bare words of a text, folded. */
export const foldedWords = (text: string): string[] => wordsIn(fold(text));
