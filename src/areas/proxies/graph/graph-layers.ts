import type { ProxyPair } from '../../../../contract/generated/types.gen.ts';

type AdjacencyLists = ReadonlyMap<number, readonly number[]>;

/** A connected component of the graph; the ids are in reading order. */
export interface Component {
  ids: readonly number[];
  pairs: readonly ProxyPair[];
}

/** Connected components, the largest first. Ids keep the given order. */
export function findComponents(ids: readonly number[], pairs: readonly ProxyPair[]): Component[] {
  const neighbours = buildNeighbours(ids, pairs);
  const componentById = new Map<number, number>();
  for (const start of ids) {
    if (componentById.has(start)) continue;
    const members = new Set([start]);
    for (const id of members) for (const next of neighbours.get(id) ?? []) members.add(next);
    for (const id of members) componentById.set(id, start);
  }
  const idsByComponent = Map.groupBy(ids, (id) => componentById.get(id) ?? id);
  const pairsByComponent = Map.groupBy(
    pairs,
    ({ proxyUserId }) => componentById.get(proxyUserId) ?? proxyUserId,
  );
  return [...idsByComponent]
    .map(([start, members]) => ({ ids: members, pairs: pairsByComponent.get(start) ?? [] }))
    .toSorted((a, b) => b.ids.length - a.ids.length);
}

/** Neighbours of each id in either direction. */
export function buildNeighbours(ids: readonly number[], pairs: readonly ProxyPair[]): AdjacencyLists {
  const neighbours = new Map<number, number[]>(ids.map((id) => [id, []]));
  for (const { proxyUserId, userId } of pairs) {
    neighbours.get(proxyUserId)?.push(userId);
    neighbours.get(userId)?.push(proxyUserId);
  }
  return neighbours;
}

/**
 * Columns of a component (longest-path layering): a proxy is left of the users they act for, except along the back edges
 * of cycles. Each column is ordered so that people are near their neighbours.
 */
export function computeLayers({ ids, pairs }: Component): number[][] {
  const forward = removeBackEdges(ids, pairs);
  const layer = new Map(ids.map((id) => [id, 0]));
  for (const id of sortTopologically(ids, forward))
    for (const next of forward.get(id) ?? [])
      layer.set(next, Math.max(layer.get(next) ?? 0, (layer.get(id) ?? 0) + 1));
  const columns = [...Map.groupBy(ids, (id) => layer.get(id) ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([, column]) => column);
  return orderColumns(columns, pairs);
}

/** Successors of each id without the back edges of a depth-first search, which makes the graph acyclic. */
function removeBackEdges(ids: readonly number[], pairs: readonly ProxyPair[]): AdjacencyLists {
  const successors = groupNeighbours(pairs, 'proxyUserId', 'userId');
  const withIncoming = new Set(pairs.map(({ userId }) => userId));
  const state = new Map<number, 'open' | 'done'>();
  const forward = new Map<number, number[]>();
  // Starting with the people nobody acts for breaks a cycle where it is entered from outside.
  for (const start of [...ids.filter((id) => !withIncoming.has(id)), ...ids]) {
    if (state.has(start)) continue;
    const stack = [{ id: start, rest: (successors.get(start) ?? []).values() }];
    state.set(start, 'open');
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { value, done } = frame.rest.next();
      if (done) {
        state.set(frame.id, 'done');
        stack.pop();
      } else if (state.get(value) !== 'open') {
        forward.set(frame.id, [...(forward.get(frame.id) ?? []), value]);
        if (state.has(value)) continue;
        state.set(value, 'open');
        stack.push({ id: value, rest: (successors.get(value) ?? []).values() });
      }
    }
  }
  return forward;
}

/** Topological order of an acyclic graph (Kahn's algorithm). */
function sortTopologically(ids: readonly number[], forward: AdjacencyLists): number[] {
  const incomingCount = new Map<number, number>();
  for (const list of forward.values())
    for (const id of list) incomingCount.set(id, (incomingCount.get(id) ?? 0) + 1);
  const ready = ids.filter((id) => !incomingCount.has(id));
  for (const id of ready)
    for (const next of forward.get(id) ?? []) {
      const remaining = (incomingCount.get(next) ?? 0) - 1;
      incomingCount.set(next, remaining);
      if (remaining === 0) ready.push(next);
    }
  return ready;
}

const groupNeighbours = (
  pairs: readonly ProxyPair[],
  from: keyof ProxyPair,
  to: keyof ProxyPair,
): AdjacencyLists =>
  new Map([...Map.groupBy(pairs, (pair) => pair[from])].map(([id, own]) => [id, own.map((one) => one[to])]));

const SWEEP_COUNT = 4;

/** Orders each column by the mean position of its neighbours (barycenter heuristic), in alternating directions. */
function orderColumns(columns: readonly (readonly number[])[], pairs: readonly ProxyPair[]): number[][] {
  const before = groupNeighbours(pairs, 'userId', 'proxyUserId');
  const after = groupNeighbours(pairs, 'proxyUserId', 'userId');
  const result = columns.map((column) => [...column]);
  for (let sweep = 0; sweep < SWEEP_COUNT; sweep += 1) {
    const positions = new Map<number, number>();
    for (const column of result)
      for (const [index, id] of column.entries()) positions.set(id, index / column.length);
    const neighbours = sweep % 2 === 0 ? before : after;
    for (const column of result) {
      const mean = new Map(
        column.map((id) => [
          id,
          getMeanPosition(neighbours.get(id) ?? [], positions) ?? positions.get(id) ?? 0,
        ]),
      );
      column.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
    }
  }
  return result;
}

function getMeanPosition(ids: readonly number[], positions: ReadonlyMap<number, number>): number | undefined {
  if (ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (positions.get(id) ?? 0), 0) / ids.length;
}
