import type { ProxyPair } from '../../../api/generated/types.gen.ts';
import { componentsOf, layersOf } from './graph-layers.ts';
import type { Component } from './graph-layers.ts';

export const NODE = { width: 172, height: 44 };
const GAP = { x: 76, y: 14 };
const BETWEEN = 36;
// Lines that lead back bow out beyond the boxes.
const EDGE = { x: 52, y: 16 };

interface GraphNode {
  id: number;
  x: number;
  y: number;
}

interface GraphEdge extends ProxyPair {
  /** The line, as `d` of an SVG path. */
  line: string;
}

export interface GraphLayout {
  /** In reading order: part by part, column by column. */
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  width: number;
  height: number;
  /** People for whom there was no room. */
  left: number;
}

/**
 * Draws who may act for whom, from left to right, parts that hang together one under another, the biggest first. Of
 * more than `most` people only so many are drawn, whole parts as long as they fit; `first` is among them.
 */
export function layOut(
  ids: readonly number[],
  pairs: readonly ProxyPair[],
  { most, first }: { most: number; first?: number | undefined },
): GraphLayout {
  const nodes: GraphNode[] = [];
  let width = 0;
  let top = EDGE.y;
  for (const part of chosen(componentsOf(ids, pairs), most, first)) {
    const { placed, right, bottom } = placedAt(top, layersOf(part));
    nodes.push(...placed);
    width = Math.max(width, right);
    top = bottom + BETWEEN;
  }
  const at = new Map(nodes.map((node) => [node.id, node]));
  const edges = pairs.flatMap((pair) => {
    const [from, to] = [at.get(pair.proxyUserId), at.get(pair.userId)];
    return from && to ? { ...pair, line: lineOf(from, to) } : [];
  });
  return {
    nodes,
    edges,
    width: width + EDGE.x,
    height: nodes.length === 0 ? 0 : top - BETWEEN + EDGE.y,
    left: ids.length - nodes.length,
  };
}

/** The parts to be drawn; one that is too large on its own is cut down to those nearest to its middle. */
function chosen(parts: readonly Component[], most: number, first: number | undefined): Component[] {
  const begin = parts.filter(({ ids }) => first !== undefined && ids.includes(first));
  const result: Component[] = [];
  let room = most;
  for (const part of [...begin, ...parts.filter((one) => !begin.includes(one))]) {
    if (part.ids.length <= room) {
      result.push(part);
      room -= part.ids.length;
    } else if (result.length === 0) {
      result.push(cutDown(part, most, first));
      room = 0;
    }
  }
  return result;
}

/** Those who are the fewest steps away from `first`, or else from whoever has the most assignments. */
function cutDown({ ids, pairs }: Component, most: number, first: number | undefined): Component {
  const near = new Map<number, number[]>(ids.map((id) => [id, []]));
  for (const { proxyUserId, userId } of pairs) {
    near.get(proxyUserId)?.push(userId);
    near.get(userId)?.push(proxyUserId);
  }
  const degree = (id: number) => near.get(id)?.length ?? 0;
  const middle =
    first !== undefined && near.has(first) ? first : ids.toSorted((a, b) => degree(b) - degree(a))[0];
  const kept = new Set(middle === undefined ? [] : [middle]);
  for (const id of kept) for (const next of near.get(id) ?? []) if (kept.size < most) kept.add(next);
  return {
    ids: ids.filter((id) => kept.has(id)),
    pairs: pairs.filter(({ proxyUserId, userId }) => kept.has(proxyUserId) && kept.has(userId)),
  };
}

const heightOf = (count: number): number => count * (NODE.height + GAP.y) - GAP.y;

// A column of more does not fit into a window: in its middle nobody would be seen.
const TALL = 8;

/** The columns of one part, each in the middle of its height, or all from the top where it is tall. */
function placedAt(top: number, columns: readonly (readonly number[])[]) {
  const height = Math.max(...columns.map(({ length }) => heightOf(length)));
  const isTall = columns.some(({ length }) => length > TALL);
  const placed = columns.flatMap((column, across) =>
    column.map((id, down) => ({
      id,
      x: EDGE.x + across * (NODE.width + GAP.x),
      y: top + (isTall ? 0 : (height - heightOf(column.length)) / 2) + down * (NODE.height + GAP.y),
    })),
  );
  return { placed, right: EDGE.x + columns.length * (NODE.width + GAP.x) - GAP.x, bottom: top + height };
}

const HEAD = 5;

/** From the right side of the proxy to the left side of the user; a step back bows around both. */
function lineOf(from: GraphNode, to: GraphNode): string {
  const start = { x: from.x + NODE.width, y: from.y + NODE.height / 2 };
  const end = { x: to.x - HEAD, y: to.y + NODE.height / 2 };
  if (end.x > start.x) {
    const half = (end.x - start.x) / 2;
    return `M${start.x} ${start.y}C${start.x + half} ${start.y} ${end.x - half} ${end.y} ${end.x} ${end.y}`;
  }
  const under = Math.max(from.y, to.y) + NODE.height + GAP.y / 2;
  const bow = GAP.x / 2;
  return (
    `M${start.x} ${start.y}C${start.x + bow} ${start.y} ${start.x + bow} ${under} ${start.x} ${under}` +
    `L${end.x} ${under}C${end.x - bow} ${under} ${end.x - bow} ${end.y} ${end.x} ${end.y}`
  );
}
