import { plain, readIds, readList, spoken, writeList, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import { MARKS } from '../model/marks.ts';
import type { Mark } from '../model/marks.ts';

/** The graph as its address says it. */
export interface GraphView {
  q: string;
  marks: readonly Mark[];
  /** Only what hangs together with this person. */
  around: number | undefined;
}

interface GraphSearch {
  q?: string | number;
  with?: string | number;
  around?: number;
}

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export function readGraphView(search: Search): GraphView {
  const marks = readList(search.with, /./);
  return {
    q: written(search.q),
    marks: MARKS.filter((mark) => marks.includes(mark)),
    around: readIds(search.around)[0],
  };
}

/** Writes a view as an address, without what is so by default. */
export const writeGraphView = ({ q, marks, around }: GraphView): GraphSearch =>
  spoken({ q: q === '' ? undefined : plain(q), with: writeList(marks), around });
