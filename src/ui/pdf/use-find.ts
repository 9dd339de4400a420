import { useCallback, useEffect, useRef, useState } from 'react';
import { findMatches, foldWithOffsets, MAX_MATCHES, splitMatch } from './find-text.ts';
import type { SearchText, TextMatch } from './find-text.ts';
import type { PdfDocument } from './pdf-document.ts';
import type { TextElements } from './PdfPage.tsx';

interface PageText extends SearchText {
  /** Offset of each text item in the text of the page, and its length. */
  starts: readonly number[];
  lengths: readonly number[];
}

interface FindState {
  matches: readonly TextMatch[];
  /** Pages searched so far. */
  searched: number;
}

const NO_RESULT: FindState = { matches: [], searched: 0 };
/** Pages between two updates of the count. */
const PAGES_PER_UPDATE = 20;

async function readPageText(document: PdfDocument, index: number): Promise<PageText> {
  const parts: string[] = [];
  const starts: number[] = [];
  const lengths: number[] = [];
  let length = 0;
  for (const { text, endsLine } of await document.getTextItems(index)) {
    starts.push(length);
    lengths.push(text.length);
    const part = endsLine ? `${text} ` : text;
    parts.push(part);
    length += part.length;
  }
  return { ...foldWithOffsets(parts.join('')), starts, lengths };
}

/** Searches all pages from the first one; the texts of the pages are kept for the next search. */
export function useFind(document: PdfDocument, query: string) {
  const [state, setState] = useState(NO_RESULT);
  const texts = useRef(new Map<number, PageText>());
  useEffect(() => {
    let isCurrent = true;
    const search = async () => {
      setState(NO_RESULT);
      if (query.trim() === '') return;
      let matches: readonly TextMatch[] = [];
      for (let page = 0; page < document.pageCount && matches.length < MAX_MATCHES; page += 1) {
        const text = texts.current.get(page) ?? (await readPageText(document, page));
        texts.current.set(page, text);
        if (!isCurrent) return;
        const found = findMatches(page, text, query, MAX_MATCHES - matches.length);
        if (found.length > 0) matches = [...matches, ...found];
        if (page % PAGES_PER_UPDATE === 0) setState({ matches, searched: page + 1 });
      }
      setState({ matches, searched: document.pageCount });
    };
    // A failure closes the file and is shown there.
    search().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [document, query]);
  const getText = useCallback((page: number) => texts.current.get(page), []);
  return { ...state, getText };
}

/** The ranges of the text layer that a match covers. */
function toRanges(match: TextMatch, { starts, lengths }: PageText, elements: TextElements): Range[] {
  return splitMatch(match, starts, lengths).flatMap(({ item, start, end }) => {
    const node = elements[item]?.firstChild;
    if (!(node instanceof Text) || end > node.length) return [];
    const range = new Range();
    range.setStart(node, start);
    range.setEnd(node, end);
    return [range];
  });
}

/** Names of the highlights in pdf.css. */
const HIGHLIGHTS = ['pdf-match', 'pdf-current-match'] as const;

interface Highlighted {
  matches: readonly TextMatch[];
  current: TextMatch | undefined;
  getText: (page: number) => PageText | undefined;
  layers: ReadonlyMap<number, TextElements>;
}

/** Marks the matches in the text layers that exist, and brings the current one into view. */
export function useHighlights({ matches, current, getText, layers }: Highlighted): void {
  useEffect(() => {
    // Browsers without the CSS Custom Highlight API show the page of a match only.
    if (!('highlights' in CSS)) return undefined;
    const rangesOf = (match: TextMatch) => {
      const [text, elements] = [getText(match.page), layers.get(match.page)];
      return text && elements ? toRanges(match, text, elements) : [];
    };
    const shown = matches.filter((match) => match !== current && layers.has(match.page));
    const marked = [shown.flatMap(rangesOf), current ? rangesOf(current) : []];
    for (const [at, name] of HIGHLIGHTS.entries())
      CSS.highlights.set(name, new Highlight(...(marked[at] ?? [])));
    return () => {
      for (const name of HIGHLIGHTS) CSS.highlights.delete(name);
    };
  }, [matches, current, getText, layers]);

  const layer = current && layers.get(current.page);
  useEffect(() => {
    const text = current && getText(current.page);
    const [range] = current && text && layer ? toRanges(current, text, layer) : [];
    range?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }, [current, layer, getText]);
}
