import { foldText } from '../../../contract/rules/fold-text.ts';

/** One match, as a range of the text of a page. */
export interface TextMatch {
  page: number;
  start: number;
  end: number;
}

/** The text of a page for searches: without case and accents, white space as one space. */
export interface SearchText {
  folded: string;
  /** Offset in the original text of each character of `folded`. */
  offsets: readonly number[];
}

/** A longer list is neither counted nor shown. */
export const MAX_MATCHES = 10_000;

const WHITE_SPACE = /\s/u;

/** Folds a text and remembers where its characters came from: folding "ß" gives two. */
export function foldWithOffsets(text: string): SearchText {
  const parts: string[] = [];
  const offsets: number[] = [];
  let offset = 0;
  let endsWithSpace = false;
  for (const character of text) {
    const isSpace = WHITE_SPACE.test(character);
    const folded = isSpace ? (endsWithSpace ? '' : ' ') : foldText(character);
    parts.push(folded);
    for (let at = 0; at < folded.length; at += 1) offsets.push(offset);
    // An accent of its own folds to nothing and does not end white space.
    if (folded !== '' || !isSpace) endsWithSpace = isSpace;
    offset += character.length;
  }
  return { folded: parts.join(''), offsets };
}

/** Matches of a text in a page, which do not overlap. @param limit of their number */
export function findMatches(
  page: number,
  { folded, offsets }: SearchText,
  query: string,
  limit = MAX_MATCHES,
): TextMatch[] {
  const wanted = foldWithOffsets(query.trim()).folded;
  const matches: TextMatch[] = [];
  if (wanted === '') return matches;
  for (let at = folded.indexOf(wanted); at !== -1 && matches.length < limit;) {
    const start = offsets[at] ?? 0;
    const last = offsets[at + wanted.length - 1] ?? start;
    matches.push({ page, start, end: last + 1 });
    at = folded.indexOf(wanted, at + wanted.length);
  }
  return matches;
}

/** A part of a text item that a match covers. */
export interface ItemRange {
  item: number;
  start: number;
  end: number;
}

/**
 * The parts of the text items of a page that a match covers.
 * @param starts offset of each item in the text of the page
 */
export function splitMatch(
  { start, end }: Pick<TextMatch, 'start' | 'end'>,
  starts: readonly number[],
  lengths: readonly number[],
): ItemRange[] {
  const ranges: ItemRange[] = [];
  for (const [item, itemStart] of starts.entries()) {
    if (itemStart >= end) break;
    const from = Math.max(start - itemStart, 0);
    const to = Math.min(end - itemStart, lengths[item] ?? 0);
    if (from < to) ranges.push({ item, start: from, end: to });
  }
  return ranges;
}

/** The first match at or after a page; the first one if there is none. -1 without matches. */
export function findFirstMatch(matches: readonly TextMatch[], page: number): number {
  const found = matches.findIndex((match) => match.page >= page);
  return found === -1 && matches.length > 0 ? 0 : found;
}
