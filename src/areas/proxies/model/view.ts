import { plain, readList, readOrder, spoken, writeList, writeOrder, written } from '../../../lib/address.ts';
import type { Order, Search } from '../../../lib/address.ts';
import { MARKS } from './marks.ts';
import type { Direction } from './delegations.ts';
import type { Mark } from './marks.ts';

export const SORT_KEYS = ['name', 'email', 'count', 'marks'] as const;

/** What "may act for more than" offers. */
export const MORE = [1, 5, 10, 25] as const;

/** The list of assignments as its address says it. */
export interface ProxiesView {
  q: string;
  by: Direction;
  marks: readonly Mark[];
  /** Only who has more than so many at the other end. */
  more: number | undefined;
  sort: Order<(typeof SORT_KEYS)[number]>;
  hidden: readonly string[];
}

/** The search of `/proxies` and of the graph: short texts, each left out where it says what is so anyway. */
export interface ProxiesSearch {
  q?: string | number;
  end?: 'user';
  with?: string | number;
  more?: number;
  sort?: string | number;
  hide?: string | number;
}

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export function readProxiesView(search: Search): ProxiesView {
  const marks = readList(search.with, /./);
  return {
    q: written(search.q),
    by: search.end === 'user' ? 'user' : 'proxy',
    marks: MARKS.filter((mark) => marks.includes(mark)),
    more: MORE.find((number) => number === search.more),
    sort: readOrder(search.sort, SORT_KEYS),
    hidden: readList(search.hide, /^(email|count|others|marks)$/),
  };
}

/** Writes a view as an address, without what is so by default. */
export const writeProxiesView = ({ q, by, marks, more, sort, hidden }: ProxiesView): ProxiesSearch =>
  spoken({
    q: q === '' ? undefined : plain(q),
    end: by === 'user' ? by : undefined,
    with: writeList(marks),
    more,
    sort: writeOrder(sort, SORT_KEYS),
    hide: writeList(hidden),
  });

/** Whether something is asked for that "Clear filters" would take away. */
export const isNarrowed = ({ q, marks, more }: ProxiesView): boolean =>
  q !== '' || marks.length > 0 || more !== undefined;
