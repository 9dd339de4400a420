/** Collation of the browser's language: ignores accents and case, sorts 2 before 10. */
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const NUMBER = /^\d{1,15}$/;

/** Splits a name into the words and numbers that are compared one by one. */
export const splitNameWords = (name: string): string[] => name.match(/\d+|[^\d\s]+/g) ?? [];

/** Splits an e-mail address: parts of the local part, then the domain. */
export const splitEmailWords = (email: string): string[] => email.match(/@.*|\d+|[^\d\s.@_+-]+/g) ?? [];

function compareWords(a: string, b: string): number {
  if (NUMBER.test(a) && NUMBER.test(b)) return Number(a) - Number(b);
  return collator.compare(a, b);
}

/** Compares two texts word by word; a prefix comes first. */
export function compareTexts(a: readonly string[], b: readonly string[]): number {
  const both = Math.min(a.length, b.length);
  for (let at = 0; at < both; at += 1) {
    const difference = compareWords(a[at] ?? '', b[at] ?? '');
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * Assigns ranks from 1; words that compare as equal share one. Numbers are sorted numerically and merged into the rest,
 * which saves most calls of the slow collator for account names with numbers.
 */
export function rankWords(words: Iterable<string>): Map<string, number> {
  const numbers: string[] = [];
  const others: string[] = [];
  for (const word of words) (NUMBER.test(word) ? numbers : others).push(word);
  numbers.sort((a, b) => Number(a) - Number(b));
  others.sort(collator.compare);
  const ranks = new Map<string, number>();
  let rank = 0;
  let previous: string | undefined;
  for (const word of mergeSorted(numbers, others)) {
    if (previous === undefined || compareWords(previous, word) !== 0) rank += 1;
    ranks.set(word, rank);
    previous = word;
  }
  return ranks;
}

function* mergeSorted(numbers: readonly string[], others: readonly string[]): Generator<string> {
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
