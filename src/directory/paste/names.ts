import { toFamilyNameKey, splitFoldedWords, toGivenNameKey, splitWords } from './words.ts';

/** Maximum words of a name within a sentence. */
const MAX_NAME_WORDS = 5;
/** Maximum words of a name whose order may be rotated; a longer cell is a sentence. */
const MAX_ROTATED_WORDS = 6;
const LETTERS = /^[\p{L}\p{M}'’.-]+$/u;
const CAPITAL = /^[\p{Lu}\p{Lt}\p{Lo}]/u;
/** Words that start a sentence or a letter, not a name. */
const NON_NAME_WORDS = new Set(
  'dear hello hi hey thanks thank best kind warm many regards cheers sincerely please error warning the a'.split(
    ' ',
  ),
);

/** Lookup of users by name. */
export interface NameLookup {
  /** Returns the ids of users with the folded name or address. */
  find: (key: string) => readonly number[];
  /** Whether any name starts with the folded word. */
  hasNameStartingWith: (word: string) => boolean;
}

/** Finds users by their full name, with the family name first or last. */
export function findByFullName(text: string, names: NameLookup): readonly number[] {
  const words = splitFoldedWords(text);
  const turns = words.length > MAX_ROTATED_WORDS ? 1 : words.length;
  for (let turn = 0; turn < turns; turn += 1) {
    const ids = names.find([...words.slice(turn), ...words.slice(0, turn)].join(' '));
    if (ids.length > 0) return ids;
  }
  return [];
}

/** Finds users by a given name alone. */
export const findByGivenName = (text: string, names: NameLookup): readonly number[] =>
  names.find(toGivenNameKey(splitFoldedWords(text).join(' ')));

/** Finds users by a given or a family name alone. */
export function findBySingleName(text: string, names: NameLookup): readonly number[] {
  const family = names.find(toFamilyNameKey(splitFoldedWords(text).join(' ')));
  return [...new Set([...findByGivenName(text, names), ...family])];
}

/** Finds full names within a sentence. */
export function findNamesWithin(
  text: string,
  names: NameLookup,
): { entry: string; ids: readonly number[] }[] {
  const found: { entry: string; ids: readonly number[] }[] = [];
  const words = splitWords(text);
  const folded = words.map((word) => splitFoldedWords(word).join(' '));
  let at = 0;
  while (at < words.length) {
    const { length, ids } = findNameAt(folded, at, names);
    if (ids.length > 0) found.push({ entry: words.slice(at, at + length).join(' '), ids });
    at += length;
  }
  return found;
}

function findNameAt(
  words: readonly string[],
  at: number,
  names: NameLookup,
): { length: number; ids: readonly number[] } {
  if (names.hasNameStartingWith(words[at] ?? ''))
    for (let length = Math.min(MAX_NAME_WORDS, words.length - at); length > 1; length -= 1) {
      const ids = names.find(words.slice(at, at + length).join(' '));
      if (ids.length > 0) return { length, ids };
    }
  return { length: 1, ids: [] };
}

/** Whether a text has the form of a part of a name. */
export function isNamePart(text: string): boolean {
  const words = splitWords(text);
  return (
    words.length > 0 &&
    words.length <= MAX_NAME_WORDS &&
    words.every((word) => LETTERS.test(word) && !NON_NAME_WORDS.has(word.toLowerCase())) &&
    CAPITAL.test(words.at(-1) ?? '')
  );
}

/** Whether a text has the form of a full name: several words of letters, the first and last capitalized. */
export const isNameLike = (text: string): boolean =>
  isNamePart(text) && CAPITAL.test(text) && splitWords(text).length > 1;
