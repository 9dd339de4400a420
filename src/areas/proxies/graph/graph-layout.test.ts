import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findComponents, computeLayers } from './graph-layers.ts';
import { layOutGraph, NODE_SIZE } from './graph-layout.ts';

const toPair = ([proxyUserId, userId]: readonly [number, number]) => ({ proxyUserId, userId });
const createPairs = (...pairs: readonly (readonly [number, number])[]) => pairs.map(toPair);
const listIds = (pairs: ReturnType<typeof createPairs>) => [
  ...new Set(pairs.flatMap(({ proxyUserId, userId }) => [proxyUserId, userId])),
];
const anyPairs = fc
  .uniqueArray(
    fc.tuple(fc.nat(25), fc.nat(25)).filter(([a, b]) => a !== b),
    { selector: ([a, b]) => `${a} ${b}`, maxLength: 50 },
  )
  .map((pairs) => pairs.map(toPair));

it('finds connected components, the largest first', () => {
  const pairs = createPairs([1, 2], [3, 4], [5, 4]);
  expect(findComponents([1, 2, 3, 4, 5], pairs).map(({ ids }) => ids)).toEqual([
    [3, 4, 5],
    [1, 2],
  ]);
});

describe('computeLayers', () => {
  it('puts proxies left of the users they act for', () => {
    const pairs = createPairs([1, 2], [2, 3], [1, 3], [4, 3]);
    expect(computeLayers({ ids: [1, 2, 3, 4], pairs })).toEqual([[1, 4], [2], [3]]);
  });

  it('breaks a cycle at its back edge', () => {
    expect(computeLayers({ ids: [1, 2, 3], pairs: createPairs([1, 2], [2, 3], [3, 1]) })).toEqual([
      [1],
      [2],
      [3],
    ]);
  });

  it('contains every person once and goes back only within cycles', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const ids = listIds(pairs);
        const columns = computeLayers({ ids, pairs });
        expect(columns.flat().toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
        const column = (id: number) => columns.findIndex((one) => one.includes(id));
        for (const { proxyUserId, userId } of pairs) {
          if (column(proxyUserId) < column(userId)) continue;
          const reached = new Set([userId]);
          for (const id of reached)
            for (const one of pairs) if (one.proxyUserId === id) reached.add(one.userId);
          expect(reached.has(proxyUserId)).toBe(true);
        }
      }),
    );
  });
});

describe('layOutGraph', () => {
  it('places nodes without overlap and within the size', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const { nodes, edges, width, height, omittedCount } = layOutGraph(listIds(pairs), pairs, {
          maxPeople: 100,
        });
        expect(omittedCount).toBe(0);
        expect(edges.length).toBe(pairs.length);
        for (const a of nodes) {
          expect(
            a.x >= 0 && a.y >= 0 && a.x + NODE_SIZE.width <= width && a.y + NODE_SIZE.height <= height,
          ).toBe(true);
          for (const b of nodes)
            expect(
              a === b || Math.abs(a.x - b.x) >= NODE_SIZE.width || Math.abs(a.y - b.y) >= NODE_SIZE.height,
            ).toBe(true);
        }
      }),
    );
  });

  it('counts omitted people and keeps the focused user', () => {
    const pairs = createPairs([1, 2], [1, 3], [1, 4], [5, 6], [7, 8]);
    const ids = listIds(pairs);
    expect(layOutGraph(ids, pairs, { maxPeople: 6 })).toMatchObject({ omittedCount: 2 });
    const drawn = layOutGraph(ids, pairs, { maxPeople: 4, focusUserId: 8 }).nodes.map(({ id }) => id);
    expect(drawn).toEqual([7, 8, 5, 6]);
    expect(layOutGraph(ids, pairs, { maxPeople: 3, focusUserId: 4 }).nodes.map(({ id }) => id)).toEqual([
      1, 2, 4,
    ]);
  });

  it('lays out 5,000 assignments within a second', () => {
    const pairs = Array.from({ length: 5000 }, (_, at) => toPair([at, at + 1 + (at % 7)]));
    const startedAt = performance.now();
    layOutGraph(listIds(pairs), pairs, { maxPeople: 400 });
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
