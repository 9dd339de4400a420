import { plain, readIds, readList, spoken, writeList, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import type { ProxyPair } from '../../../api/generated/types.gen.ts';
import { MARKS, marksOfPair } from './-delegations.ts';
import type { Delegations, Mark, States } from './-delegations.ts';
import { componentsOf } from './-graph-layers.ts';
import { finder } from './-rows.ts';

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

/** The assignments that have everything the view asks for. */
export function pairsShown(view: GraphView, delegations: Delegations, states: States): readonly ProxyPair[] {
  const meant = finder(view.q, delegations);
  const found = delegations.pairs.filter((pair) => {
    const marks = marksOfPair(pair, delegations, states);
    return (
      view.marks.every((mark) => marks.includes(mark)) &&
      (meant.proxy(pair.proxyUserId) || meant.user(pair.userId))
    );
  });
  const { around } = view;
  if (around === undefined) return found;
  const part = componentsOf(peopleIn(found, delegations), found).find(({ ids }) => ids.includes(around));
  return part?.pairs ?? [];
}

/** Who stands in these assignments, by name. */
export function peopleIn(pairs: readonly ProxyPair[], { people }: Delegations): number[] {
  const named = new Set(pairs.flatMap(({ proxyUserId, userId }) => [proxyUserId, userId]));
  return [...people.keys()].filter((id) => named.has(id));
}
