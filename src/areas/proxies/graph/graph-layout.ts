import type { ProxyPair } from '../../../../contract/generated/types.gen.ts';
import { buildNeighbours, computeLayers, findComponents } from './graph-layers.ts';
import type { Component } from './graph-layers.ts';

/** Size of a node; all lengths are in SVG user units. */
export const NODE_SIZE = { width: 172, height: 44 };
const GAP = { x: 76, y: 14 };
const COMPONENT_GAP = 36;
// Space for back edges, which curve out beyond the nodes.
const PADDING = { x: 52, y: 16 };

interface GraphNode {
  id: number;
  x: number;
  y: number;
}

interface GraphEdge extends ProxyPair {
  /** The `d` attribute of the SVG path. */
  path: string;
}

export interface GraphLayout {
  /** In reading order: by component, then by column. */
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  width: number;
  height: number;
  /** Number of people that are not drawn because of `maxPeople`. */
  omittedCount: number;
}

/**
 * Lays out the graph from left to right, with its components below each other, the largest first. Draws at most
 * `maxPeople` people, whole components as long as they fit, including `focusUserId`.
 */
export function layOutGraph(
  ids: readonly number[],
  pairs: readonly ProxyPair[],
  { maxPeople, focusUserId }: { maxPeople: number; focusUserId?: number | undefined },
): GraphLayout {
  const nodes: GraphNode[] = [];
  let width = 0;
  let top = PADDING.y;
  for (const part of selectComponents(findComponents(ids, pairs), maxPeople, focusUserId)) {
    const { placed, right, bottom } = placeComponent(top, computeLayers(part));
    nodes.push(...placed);
    width = Math.max(width, right);
    top = bottom + COMPONENT_GAP;
  }
  const nodeById = new Map(nodes.map((node) => [node.id, node]));
  const edges = pairs.flatMap((pair) => {
    const [from, to] = [nodeById.get(pair.proxyUserId), nodeById.get(pair.userId)];
    return from && to ? { ...pair, path: buildEdgePath(from, to) } : [];
  });
  return {
    nodes,
    edges,
    width: width + PADDING.x,
    height: nodes.length === 0 ? 0 : top - COMPONENT_GAP + PADDING.y,
    omittedCount: ids.length - nodes.length,
  };
}

/** Components to draw. A component that is too large on its own is reduced to the people nearest to its centre. */
function selectComponents(
  components: readonly Component[],
  maxPeople: number,
  focusUserId: number | undefined,
): Component[] {
  const focused = components.filter(({ ids }) => focusUserId !== undefined && ids.includes(focusUserId));
  const result: Component[] = [];
  let remaining = maxPeople;
  for (const component of [...focused, ...components.filter((one) => !focused.includes(one))]) {
    if (component.ids.length <= remaining) {
      result.push(component);
      remaining -= component.ids.length;
    } else if (result.length === 0) {
      result.push(reduceComponent(component, maxPeople, focusUserId));
      remaining = 0;
    }
  }
  return result;
}

/** Keeps the people with the shortest distance to `focusUserId`, or to the person with the most assignments. */
function reduceComponent(
  { ids, pairs }: Component,
  maxPeople: number,
  focusUserId: number | undefined,
): Component {
  const neighbours = buildNeighbours(ids, pairs);
  const getDegree = (id: number) => neighbours.get(id)?.length ?? 0;
  const center =
    focusUserId !== undefined && neighbours.has(focusUserId)
      ? focusUserId
      : ids.toSorted((a, b) => getDegree(b) - getDegree(a))[0];
  const selected = new Set(center === undefined ? [] : [center]);
  for (const id of selected)
    for (const next of neighbours.get(id) ?? []) if (selected.size < maxPeople) selected.add(next);
  return {
    ids: ids.filter((id) => selected.has(id)),
    pairs: pairs.filter(({ proxyUserId, userId }) => selected.has(proxyUserId) && selected.has(userId)),
  };
}

const getColumnHeight = (count: number): number => count * (NODE_SIZE.height + GAP.y) - GAP.y;

/** Taller columns do not fit into the viewport; centring shorter ones beside them would put them out of view. */
const MAX_CENTERED_NODES = 8;

/** Places the columns of a component below `top`, vertically centred, or aligned to the top if it is tall. */
function placeComponent(top: number, columns: readonly (readonly number[])[]) {
  const height = Math.max(...columns.map(({ length }) => getColumnHeight(length)));
  const isTall = columns.some(({ length }) => length > MAX_CENTERED_NODES);
  const placed = columns.flatMap((column, across) =>
    column.map((id, down) => ({
      id,
      x: PADDING.x + across * (NODE_SIZE.width + GAP.x),
      y:
        top +
        (isTall ? 0 : (height - getColumnHeight(column.length)) / 2) +
        down * (NODE_SIZE.height + GAP.y),
    })),
  );
  return {
    placed,
    right: PADDING.x + columns.length * (NODE_SIZE.width + GAP.x) - GAP.x,
    bottom: top + height,
  };
}

const ARROW_HEAD_LENGTH = 5;

/** Path from the right side of the proxy to the left side of the user; a back edge curves below both. */
function buildEdgePath(from: GraphNode, to: GraphNode): string {
  const start = { x: from.x + NODE_SIZE.width, y: from.y + NODE_SIZE.height / 2 };
  const end = { x: to.x - ARROW_HEAD_LENGTH, y: to.y + NODE_SIZE.height / 2 };
  if (end.x > start.x) {
    const half = (end.x - start.x) / 2;
    return `M${start.x} ${start.y}C${start.x + half} ${start.y} ${end.x - half} ${end.y} ${end.x} ${end.y}`;
  }
  const under = Math.max(from.y, to.y) + NODE_SIZE.height + GAP.y / 2;
  const bow = GAP.x / 2;
  return (
    `M${start.x} ${start.y}C${start.x + bow} ${start.y} ${start.x + bow} ${under} ${start.x} ${under}` +
    `L${end.x} ${under}C${end.x - bow} ${under} ${end.x - bow} ${end.y} ${end.x} ${end.y}`
  );
}
