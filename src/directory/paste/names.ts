import { familyKey, foldedWords, givenKey, wordsIn } from './words.ts';

/** The longest name that is looked for inside a sentence, in words. */
const MOST_WORDS = 5;
/** A longer cell is a sentence: no name has its words turned round over so many. */
const MOST_TURNED = 6;
const LETTERS = /^[\p{L}\p{M}'’.-]+$/u;
const CAPITAL = /^[\p{Lu}\p{Lt}\p{Lo}]/u;
/** Words that begin a sentence or a letter, not a name. */
const NO_NAME = new Set(
  'dear hello hi hey thanks thank best kind warm many regards cheers sincerely please error warning the a'.split(
    ' ',
  ),
);

/** How names are asked for. */
export interface Names {
  /** The people with this folded name or address. */
  find: (key: string) => readonly number[];
  /** Whether some name begins with this folded word. */
  begins: (word: string) => boolean;
}

/** Whom the whole text names, with the family name first or last. */
export function wholeName(text: string, names: Names): readonly number[] {
  const words = foldedWords(text);
  const turns = words.length > MOST_TURNED ? 1 : words.length;
  for (let turn = 0; turn < turns; turn += 1) {
    const ids = names.find([...words.slice(turn), ...words.slice(0, turn)].join(' '));
    if (ids.length > 0) return ids;
  }
  return [];
}

/** Who has this given name, as far as it is written alone. */
export const byGivenName = (text: string, names: Names): readonly number[] =>
  names.find(givenKey(foldedWords(text).join(' ')));

/** Whom a given name or a family name alone may mean. */
export function byOneName(text: string, names: Names): readonly number[] {
  const family = names.find(familyKey(foldedWords(text).join(' ')));
  return [...new Set([...byGivenName(text, names), ...family])];
}

/** The names that stand somewhere in a sentence. */
export function namesWithin(text: string, names: Names): { entry: string; ids: readonly number[] }[] {
  const found: { entry: string; ids: readonly number[] }[] = [];
  const words = wordsIn(text);
  const folded = words.map((word) => foldedWords(word).join(' '));
  let at = 0;
  while (at < words.length) {
    const { length, ids } = nameAt(folded, at, names);
    if (ids.length > 0) found.push({ entry: words.slice(at, at + length).join(' '), ids });
    at += length;
  }
  return found;
}

function nameAt(
  words: readonly string[],
  at: number,
  names: Names,
): { length: number; ids: readonly number[] } {
  if (names.begins(words[at] ?? ''))
    for (let length = Math.min(MOST_WORDS, words.length - at); length > 1; length -= 1) {
      const ids = names.find(words.slice(at, at + length).join(' '));
      if (ids.length > 0) return { length, ids };
    }
  return { length: 1, ids: [] };
}

/** Whether a text of letters could be a part of a name as one writes it. */
export function isNamePart(text: string): boolean {
  const words = wordsIn(text);
  return (
    words.length > 0 &&
    words.length <= MOST_WORDS &&
    words.every((word) => LETTERS.test(word) && !NO_NAME.has(word.toLowerCase())) &&
    CAPITAL.test(words.at(-1) ?? '')
  );
}

/** Whether a text is written as a whole name: words of letters, the first and the last with a capital. */
export const isNameLike = (text: string): boolean =>
  isNamePart(text) && CAPITAL.test(text) && wordsIn(text).length > 1;
