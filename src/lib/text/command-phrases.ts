import { foldText } from '../../../contract/rules/fold-text.ts';

const MIN_ABBREVIATION_LENGTH = 3;

const matchesWord = (typed: string, word: string): boolean =>
  typed === word || (typed.length >= MIN_ABBREVIATION_LENGTH && word.startsWith(typed));

/**
 * Returns the text after a phrase, as in "add to groups" + "dana"; undefined if the text does not begin with the phrase
 * or nothing follows it. Case and accents are ignored, and each word may be abbreviated to three letters or more.
 */
function matchPhrase(typed: string, phrase: string): string | undefined {
  const words = typed.trim().split(/\s+/);
  const phraseWords = phrase.split(' ');
  if (words.length <= phraseWords.length) return undefined;
  return phraseWords.every((word, at) => matchesWord(foldText(words[at] ?? ''), foldText(word)))
    ? words.slice(phraseWords.length).join(' ')
    : undefined;
}

/** The longest text that is left after one of several phrases is taken away; see `matchPhrase`. */
export function matchPhrases(typed: string, phrases: readonly string[]): string | undefined {
  const longestFirst = phrases.toSorted((a, b) => b.split(' ').length - a.split(' ').length);
  for (const phrase of longestFirst) {
    const rest = matchPhrase(typed, phrase);
    if (rest !== undefined) return rest;
  }
  return undefined;
}
