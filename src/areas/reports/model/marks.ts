import type { CheckedText, CheckMark } from '../../../../contract/generated/types.gen.ts';

/** A part of a text of the document: plain, or a placeholder. */
export interface MarkedPart {
  text: string;
  /** Undefined for plain text. */
  mark?: CheckMark;
}

/** Splits a text at its marks. Marks are in the order of the text; one that overlaps an earlier one is left out. */
export function splitAtMarks({ text, marks }: Pick<CheckedText, 'text' | 'marks'>): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let at = 0;
  for (const mark of marks.toSorted((a, b) => a.offset - b.offset)) {
    const end = Math.min(mark.offset + mark.length, text.length);
    if (mark.offset < at || end <= mark.offset) continue;
    if (mark.offset > at) parts.push({ text: text.slice(at, mark.offset) });
    parts.push({ text: text.slice(mark.offset, end), mark });
    at = end;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}
