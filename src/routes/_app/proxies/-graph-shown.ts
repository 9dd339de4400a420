import type { ProxyPair } from '../../../api/generated/types.gen.ts';
import { marksOfPair } from './-delegations.ts';
import type { Delegations, States } from './-delegations.ts';
import { componentsOf } from './-graph-layers.ts';
import type { GraphView } from './-graph-view.ts';
import { finder } from './-rows.ts';

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
