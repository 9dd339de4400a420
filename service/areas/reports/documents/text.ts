/** What the reader of a document finds: its texts with their placeholders. */
import type { DocumentFault, MarkedText, PartKind } from '../language/check.ts';

/** A paragraph or cell. */
export interface DocumentText extends MarkedText {
  text: string;
}

/** Texts of a document in their order. */
export interface InspectedDocument {
  format: 'docx' | 'xlsx';
  texts: DocumentText[];
  faults: DocumentFault[];
  /** Whether texts without placeholders were left out, because there are too many. */
  isTruncated: boolean;
}

/** Placeholders of a document. */
export const MAX_MARKS = 2_000;
/** Texts and characters that a check shows; texts with placeholders are always shown. */
const MAX_TEXTS = 3_000;
const MAX_CHARACTERS = 500_000;

/** Leaves out texts without placeholders beyond the limits. */
export function truncateTexts(document: Omit<InspectedDocument, 'isTruncated'>): InspectedDocument {
  let [count, characters] = [0, 0];
  const kept = new Map<number, number>();
  const texts = document.texts.filter((text, at) => {
    count += 1;
    characters += text.text.length;
    const isKept = text.marks.length > 0 || (count <= MAX_TEXTS && characters <= MAX_CHARACTERS);
    if (isKept) kept.set(at, kept.size);
    return isKept;
  });
  return {
    format: document.format,
    texts,
    faults: document.faults.flatMap(({ text, message }) => {
      const at = kept.get(text);
      return at === undefined ? [] : [{ text: at, message }];
    }),
    isTruncated: texts.length < document.texts.length,
  };
}

export type { PartKind };
