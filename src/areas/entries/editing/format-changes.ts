import { pluralize } from '../../../lib/numbers.ts';

/** Formats the number of staged changes: "3 changes and 2 deletions". */
export const formatStagedCounts = ({ cells, deletions }: { cells: number; deletions: number }): string =>
  [
    (cells > 0 || deletions === 0) && pluralize(cells, 'change', 'changes'),
    deletions > 0 && pluralize(deletions, 'deletion', 'deletions'),
  ]
    .filter(Boolean)
    .join(' and ');

const MAX_EXCERPT_CHARS = 160;
const EXCERPT_CONTEXT_CHARS = 40;

const excerptFrom = (text: string, from: number): string => {
  const part = text.slice(from, from + MAX_EXCERPT_CHARS);
  return `${from > 0 ? '…' : ''}${part}${from + MAX_EXCERPT_CHARS < text.length ? '…' : ''}`;
};

/** Shortens two long texts to the part where they begin to differ. */
export function excerptDifference(before: string, after: string): [before: string, after: string] {
  if (before.length <= MAX_EXCERPT_CHARS && after.length <= MAX_EXCERPT_CHARS) return [before, after];
  let equalChars = 0;
  const maxChars = Math.min(before.length, after.length);
  while (equalChars < maxChars && before[equalChars] === after[equalChars]) equalChars += 1;
  const from = Math.max(0, equalChars - EXCERPT_CONTEXT_CHARS);
  return [excerptFrom(before, from), excerptFrom(after, from)];
}

const removeSpaces = (text: string): string => text.replaceAll(/\s+/g, '');

/** Describes a difference that is easily overlooked; undefined if there is none. */
export function describeSubtleDifference(before: string, after: string): string | undefined {
  if (before === after || before === '' || after === '') return undefined;
  if (before.toLowerCase() === after.toLowerCase()) return 'Only upper and lower case differ';
  return removeSpaces(before) === removeSpaces(after) ? 'Only spaces differ' : undefined;
}
