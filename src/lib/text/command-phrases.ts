import { foldText } from '../../../contract/rules/fold-text.ts';

const MIN_ABBREVIATION_LENGTH = 3;

const matchesWord = (typed: string, word: string): boolean =>
  typed === word || (typed.length >= MIN_ABBREVIATION_LENGTH && word.startsWith(typed));

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

const matchesWords = (typed: readonly string[], words: readonly string[]): boolean =>
  words.every((word, at) => matchesWord(foldText(typed[at] ?? ''), foldText(word)));

/**
 * Returns the target of a phrase: the text after it, as in "add to groups dana", or inside it, as in "add dana to groups"; undefined if the
 * text has another form or names no target. Case and accents are ignored, and each word may be abbreviated to three letters or more.
 */
function matchPhrase(typed: readonly string[], phrase: readonly string[]): string | undefined {
  const targetLength = typed.length - phrase.length;
  if (targetLength <= 0) return undefined;
  // The words before the target, as many as possible.
  for (let before = phrase.length; before > 0; before -= 1) {
    const end = before + targetLength;
    if (matchesWords(typed, phrase.slice(0, before)) && matchesWords(typed.slice(end), phrase.slice(before)))
      return typed.slice(before, end).join(' ');
  }
  return undefined;
}

/**
 * Returns the target that a text gives to the longest of several phrases (see `matchPhrase`). Articles are skipped if a phrase does not
 * fit with them, so that the label of a command can be typed: "Change the license of Dana".
 */
export function matchPhrases(typed: string, phrases: readonly string[]): string | undefined {
  const words = typed.trim().split(/\s+/);
  const longestFirst = phrases
    .map((phrase) => phrase.split(' '))
    .toSorted((one, other) => other.length - one.length);
  const withoutArticles = words.filter((word) => !ARTICLES.has(word.toLowerCase()));
  for (const phrase of longestFirst) {
    const target = matchPhrase(words, phrase) ?? matchPhrase(withoutArticles, phrase);
    if (target !== undefined) return target;
  }
  return undefined;
}
