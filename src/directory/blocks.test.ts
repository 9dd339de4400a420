import { array, assert, boolean, integer, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createBlocks } from './blocks.ts';

const change = record({
  put: array(integer({ min: 1, max: 9000 }), { maxLength: 4000 }),
  remove: array(integer({ min: 1, max: 9000 }), { maxLength: 500 }),
  /** Whether the other tab reads before the next change. */
  isSeen: boolean(),
});

test('written blocks hold every id once, and another tab that reads them has the same ids', () => {
  assert(
    property(array(change, { maxLength: 6 }), (changes) => {
      const [own, other] = [createBlocks(), createBlocks()];
      const written = new Map<number, Int32Array>();
      const unseen = new Set<number>();
      const everybody = new Set<number>();
      const otherIds = new Set<number>();
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
        const unseenBlocks = [...unseen].flatMap((key) => {
          const ids = written.get(key);
          return ids ? [{ key, ids }] : [];
        });
        const removedIds = other.take(unseenBlocks, [...written.keys()]);
        unseen.clear();
        for (const id of removedIds) otherIds.delete(id);
        for (const { ids } of unseenBlocks) for (const id of ids) otherIds.add(id);
      }
      const storedIds = [...written.values()].flatMap((ids) => [...ids]);
      expect(storedIds.toSorted((a, b) => a - b)).toEqual([...everybody].toSorted((a, b) => a - b));
      expect(otherIds).toEqual(everybody);
    }),
    { numRuns: 40 },
  );
});
