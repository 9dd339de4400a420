import { array, assert, boolean, integer, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createBlocks } from './blocks.ts';

const change = record({
  put: array(integer({ min: 1, max: 9000 }), { maxLength: 4000 }),
  remove: array(integer({ min: 1, max: 9000 }), { maxLength: 500 }),
  /** Whether the other tab looks before the next change. */
  isSeen: boolean(),
});

test('what is written holds everybody once, and another tab that reads it knows the same people', () => {
  assert(
    property(array(change, { maxLength: 6 }), (changes) => {
      const [own, other] = [createBlocks(), createBlocks()];
      const written = new Map<number, Int32Array>();
      const unseen = new Set<number>();
      const everybody = new Set<number>();
      const seen = new Set<number>();
      for (const { put, remove, isSeen } of [...changes, { put: [], remove: [], isSeen: true }]) {
        const added = put.filter((id) => !remove.includes(id));
        const rewrite = own.change(added, remove);
        for (const { key, ids } of rewrite.put) {
          written.set(key, ids);
          unseen.add(key);
        }
        for (const key of rewrite.drop) written.delete(key);
        for (const id of added) everybody.add(id);
        for (const id of remove) everybody.delete(id);
        if (!isSeen) continue;
        const news = [...unseen].flatMap((key) => {
          const ids = written.get(key);
          return ids ? [{ key, ids }] : [];
        });
        const gone = other.take(news, [...written.keys()]);
        unseen.clear();
        for (const id of gone) seen.delete(id);
        for (const { ids } of news) for (const id of ids) seen.add(id);
      }
      const held = [...written.values()].flatMap((ids) => [...ids]);
      expect(held.toSorted((a, b) => a - b)).toEqual([...everybody].toSorted((a, b) => a - b));
      expect(seen).toEqual(everybody);
    }),
    { numRuns: 40 },
  );
});
