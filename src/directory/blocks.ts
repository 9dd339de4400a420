/** Users with neighbouring ids, stored as one record. */
export interface Block {
  /** Not greater than the smallest id, except in the first block. */
  key: number;
  /** In ascending order. */
  ids: Int32Array;
}

/** Blocks to write and keys to delete. */
interface BlockChanges {
  put: Block[];
  drop: number[];
}

// The page size of the service, so that the first full read writes each block once.
const BLOCK_SIZE = 1000;
const MAX_BLOCK_SIZE = 2 * BLOCK_SIZE;

function* splitIds(ids: Int32Array, size: number): Generator<Int32Array> {
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size);
}

/** Tracks which block holds which user: a change rewrites only the affected blocks, and 100,000 users are 100 records. */
export function createBlocks() {
  const blocks = new Map<number, Int32Array>();
  let keys: number[] = [];

  const sortKeys = () => {
    keys = [...blocks.keys()].toSorted((a, b) => a - b);
  };

  function findBlockKey(id: number): number | undefined {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((keys[middle] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return keys[Math.max(0, low - 1)];
  }

  /** Whether an id lies after all others and the last block is full. */
  function needsNewBlock(id: number): boolean {
    const last = blocks.get(keys.at(-1) ?? 0);
    return last === undefined || (last.length >= BLOCK_SIZE && id > (last.at(-1) ?? 0));
  }

  function writeBlock(key: number, ids: Int32Array, changes: BlockChanges): void {
    if (ids.length === 0) {
      blocks.delete(key);
      changes.drop.push(key);
      return;
    }
    // The first piece keeps the key, because the first block may hold smaller ids.
    for (const [at, piece] of [
      ...splitIds(ids, ids.length > MAX_BLOCK_SIZE ? BLOCK_SIZE : MAX_BLOCK_SIZE),
    ].entries()) {
      const pieceKey = at === 0 ? key : (piece[0] ?? key);
      blocks.set(pieceKey, piece);
      changes.put.push({ key: pieceKey, ids: piece });
    }
  }

  return {
    /** Applies blocks written by another tab; blocks not in `presentKeys` are gone. Returns the ids that no block holds. */
    take(writtenBlocks: readonly Block[], presentKeys: readonly number[]): Set<number> {
      const removedIds = new Set<number>();
      const remainingKeys = new Set(presentKeys);
      const removeMembers = (key: number) => {
        for (const id of blocks.get(key) ?? []) removedIds.add(id);
      };
      for (const key of keys.filter((one) => !remainingKeys.has(one))) {
        removeMembers(key);
        blocks.delete(key);
      }
      for (const { key } of writtenBlocks) removeMembers(key);
      for (const { key, ids } of writtenBlocks) {
        blocks.set(key, ids);
        for (const id of ids) removedIds.delete(id);
      }
      sortKeys();
      return removedIds;
    },

    /** Adds and removes ids; returns the resulting block changes. */
    change(put: Iterable<number>, remove: Iterable<number>): BlockChanges {
      const changes: BlockChanges = { put: [], drop: [] };
      const touched = new Map<number, Set<number>>();
      const appendedIds: number[] = [];
      const getMembers = (id: number) => {
        const key = findBlockKey(id);
        if (key === undefined) return undefined;
        const set = touched.get(key) ?? new Set(blocks.get(key));
        touched.set(key, set);
        return set;
      };
      for (const id of put) {
        if (needsNewBlock(id)) appendedIds.push(id);
        else getMembers(id)?.add(id);
      }
      for (const id of remove) getMembers(id)?.delete(id);
      for (const [key, ids] of touched) writeBlock(key, Int32Array.from(ids).toSorted(), changes);
      for (const ids of splitIds(Int32Array.from(new Set(appendedIds)).toSorted(), BLOCK_SIZE))
        writeBlock(ids[0] ?? 0, ids, changes);
      sortKeys();
      return changes;
    },
  };
}
