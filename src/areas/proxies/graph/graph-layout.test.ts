import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { componentsOf, layersOf } from './graph-layers.ts';
import { layOut, NODE } from './graph-layout.ts';

const pair = ([proxyUserId, userId]: readonly [number, number]) => ({ proxyUserId, userId });
const pairsOf = (...pairs: readonly (readonly [number, number])[]) => pairs.map(pair);
const idsOf = (pairs: ReturnType<typeof pairsOf>) => [
  ...new Set(pairs.flatMap(({ proxyUserId, userId }) => [proxyUserId, userId])),
];
const anyPairs = fc
  .uniqueArray(
    fc.tuple(fc.nat(25), fc.nat(25)).filter(([a, b]) => a !== b),
    { selector: ([a, b]) => `${a} ${b}`, maxLength: 50 },
  )
  .map((pairs) => pairs.map(pair));

it('parts what does not hang together, the biggest first', () => {
  const pairs = pairsOf([1, 2], [3, 4], [5, 4]);
  expect(componentsOf([1, 2, 3, 4, 5], pairs).map(({ ids }) => ids)).toEqual([
    [3, 4, 5],
    [1, 2],
  ]);
});

describe('the columns', () => {
  it('go from proxies to those they act for', () => {
    const pairs = pairsOf([1, 2], [2, 3], [1, 3], [4, 3]);
    expect(layersOf({ ids: [1, 2, 3, 4], pairs })).toEqual([[1, 4], [2], [3]]);
  });

  it('cut a circle where it leads back', () => {
    expect(layersOf({ ids: [1, 2, 3], pairs: pairsOf([1, 2], [2, 3], [3, 1]) })).toEqual([[1], [2], [3]]);
  });

  it('hold everybody once, and step back only in circles', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const ids = idsOf(pairs);
        const columns = layersOf({ ids, pairs });
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

describe('the drawing', () => {
  it('lays nobody over anybody, and all inside its size', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const { nodes, edges, width, height, left } = layOut(idsOf(pairs), pairs, { most: 100 });
        expect(left).toBe(0);
        expect(edges.length).toBe(pairs.length);
        for (const a of nodes) {
          expect(a.x >= 0 && a.y >= 0 && a.x + NODE.width <= width && a.y + NODE.height <= height).toBe(true);
          for (const b of nodes)
            expect(a === b || Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height).toBe(
              true,
            );
        }
      }),
    );
  });

  it('says for how many there is no room, and keeps who is asked for', () => {
    const pairs = pairsOf([1, 2], [1, 3], [1, 4], [5, 6], [7, 8]);
    const ids = idsOf(pairs);
    expect(layOut(ids, pairs, { most: 6 })).toMatchObject({ left: 2 });
    const drawn = layOut(ids, pairs, { most: 4, first: 8 }).nodes.map(({ id }) => id);
    expect(drawn).toEqual([7, 8, 5, 6]);
    expect(layOut(ids, pairs, { most: 3, first: 4 }).nodes.map(({ id }) => id)).toEqual([1, 2, 4]);
  });

  it('of many parts is quick', () => {
    const pairs = Array.from({ length: 5000 }, (_, at) => pair([at, at + 1 + (at % 7)]));
    const began = performance.now();
    layOut(idsOf(pairs), pairs, { most: 400 });
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
