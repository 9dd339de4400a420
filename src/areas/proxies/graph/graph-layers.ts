import type { ProxyPair } from '../../../api/generated/types.gen.ts';

type Lists = ReadonlyMap<number, readonly number[]>;

/** One part of the graph whose people hang together, in reading order. */
export interface Component {
  ids: readonly number[];
  pairs: readonly ProxyPair[];
}

/** The parts of the graph, the biggest first; people keep the order given. */
export function componentsOf(ids: readonly number[], pairs: readonly ProxyPair[]): Component[] {
  const near = new Map<number, number[]>(ids.map((id) => [id, []]));
  for (const { proxyUserId, userId } of pairs) {
    near.get(proxyUserId)?.push(userId);
    near.get(userId)?.push(proxyUserId);
  }
  const partOf = new Map<number, number>();
  for (const start of ids) {
    if (partOf.has(start)) continue;
    const part = new Set([start]);
    for (const id of part) for (const next of near.get(id) ?? []) part.add(next);
    for (const id of part) partOf.set(id, start);
  }
  const people = Map.groupBy(ids, (id) => partOf.get(id) ?? id);
  const own = Map.groupBy(pairs, ({ proxyUserId }) => partOf.get(proxyUserId) ?? proxyUserId);
  return [...people]
    .map(([start, part]) => ({ ids: part, pairs: own.get(start) ?? [] }))
    .toSorted((a, b) => b.ids.length - a.ids.length);
}

/**
 * The columns of a part: a proxy stands left of those they act for, except where a circle leads back. Each column is
 * ordered so that people stand near those they are joined to.
 */
export function layersOf({ ids, pairs }: Component): number[][] {
  const forward = withoutReturns(ids, pairs);
  const layer = new Map(ids.map((id) => [id, 0]));
  for (const id of topological(ids, forward))
    for (const next of forward.get(id) ?? [])
      layer.set(next, Math.max(layer.get(next) ?? 0, (layer.get(id) ?? 0) + 1));
  const columns = [...Map.groupBy(ids, (id) => layer.get(id) ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([, column]) => column);
  return untangled(columns, pairs);
}

/** Who comes next, without the steps that lead back to where a walk in depth came from. */
function withoutReturns(ids: readonly number[], pairs: readonly ProxyPair[]): Lists {
  const next = listsOf(pairs, 'proxyUserId', 'userId');
  const entered = new Set(pairs.map(({ userId }) => userId));
  const state = new Map<number, 'open' | 'left'>();
  const forward = new Map<number, number[]>();
  // Whom nobody acts for comes first: circles are then cut where one comes to them.
  for (const start of [...ids.filter((id) => !entered.has(id)), ...ids]) {
    if (state.has(start)) continue;
    const way = [{ id: start, rest: (next.get(start) ?? []).values() }];
    state.set(start, 'open');
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const { value, done } = here.rest.next();
      if (done) {
        state.set(here.id, 'left');
        way.pop();
      } else if (state.get(value) !== 'open') {
        forward.set(here.id, [...(forward.get(here.id) ?? []), value]);
        if (state.has(value)) continue;
        state.set(value, 'open');
        way.push({ id: value, rest: (next.get(value) ?? []).values() });
      }
    }
  }
  return forward;
}

/** Everybody after all who lead to them; there are no circles any more. */
function topological(ids: readonly number[], forward: Lists): number[] {
  const entering = new Map<number, number>();
  for (const list of forward.values()) for (const id of list) entering.set(id, (entering.get(id) ?? 0) + 1);
  const ready = ids.filter((id) => !entering.has(id));
  for (const id of ready)
    for (const next of forward.get(id) ?? []) {
      const left = (entering.get(next) ?? 0) - 1;
      entering.set(next, left);
      if (left === 0) ready.push(next);
    }
  return ready;
}

const listsOf = (pairs: readonly ProxyPair[], from: keyof ProxyPair, to: keyof ProxyPair): Lists =>
  new Map([...Map.groupBy(pairs, (pair) => pair[from])].map(([id, own]) => [id, own.map((one) => one[to])]));

const SWEEPS = 4;

/** Puts each column in the order of the mean place of its neighbours, there and back a few times. */
function untangled(columns: readonly (readonly number[])[], pairs: readonly ProxyPair[]): number[][] {
  const before = listsOf(pairs, 'userId', 'proxyUserId');
  const after = listsOf(pairs, 'proxyUserId', 'userId');
  const result = columns.map((column) => [...column]);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const place = new Map<number, number>();
    for (const column of result) for (const [at, id] of column.entries()) place.set(id, at / column.length);
    const near = sweep % 2 === 0 ? before : after;
    for (const column of result) {
      const mean = new Map(column.map((id) => [id, meanOf(near.get(id) ?? [], place) ?? place.get(id) ?? 0]));
      column.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
    }
  }
  return result;
}

function meanOf(ids: readonly number[], place: ReadonlyMap<number, number>): number | undefined {
  if (ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (place.get(id) ?? 0), 0) / ids.length;
}
