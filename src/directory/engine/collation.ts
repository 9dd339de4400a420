/** Order of texts as people of the browser's language know it: accents and case do not count, 2 is before 10. */
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const NUMBER = /^\d{1,15}$/;

/** Parts of a name that are compared one after the other: its words, with numbers apart. */
export const wordsOfName = (name: string): string[] => name.match(/\d+|[^\d\s]+/g) ?? [];

/** The same of an address: parts of the local part, then the domain. */
export const wordsOfEmail = (email: string): string[] => email.match(/@.*|\d+|[^\d\s.@_+-]+/g) ?? [];

function compareWords(a: string, b: string): number {
  if (NUMBER.test(a) && NUMBER.test(b)) return Number(a) - Number(b);
  return collator.compare(a, b);
}

/** Compares two texts by their words; fewer words come first. */
export function compareTexts(a: readonly string[], b: readonly string[]): number {
  const both = Math.min(a.length, b.length);
  for (let at = 0; at < both; at += 1) {
    const difference = compareWords(a[at] ?? '', b[at] ?? '');
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * A rank for each word from 1, the same for words that compare as equal. Numbers are sorted as numbers and then
 * merged into the rest: the collator takes its time, and names of accounts are full of numbers.
 */
export function rankWords(words: Iterable<string>): Map<string, number> {
  const numbers: string[] = [];
  const others: string[] = [];
  for (const word of words) (NUMBER.test(word) ? numbers : others).push(word);
  numbers.sort((a, b) => Number(a) - Number(b));
  others.sort(collator.compare);
  const ranks = new Map<string, number>();
  let rank = 0;
  let before: string | undefined;
  for (const word of merged(numbers, others)) {
    if (before === undefined || compareWords(before, word) !== 0) rank += 1;
    ranks.set(word, rank);
    before = word;
  }
  return ranks;
}

function* merged(numbers: readonly string[], others: readonly string[]): Generator<string> {
  let next = 0;
  for (const other of others) {
    let number = numbers[next];
    while (number !== undefined && compareWords(number, other) <= 0) {
      yield number;
      next += 1;
      number = numbers[next];
    }
    yield other;
  }
  yield* numbers.slice(next);
}
