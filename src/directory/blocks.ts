/** Some neighbours in the order of ids, kept together as one record. */
export interface Block {
  /** At most the first id, except in the first block. */
  key: number;
  /** In ascending order. */
  ids: Int32Array;
}

interface Rewrite {
  put: Block[];
  drop: number[];
}

// As many as a page of the interface has: the first reading writes each page once.
const SIZE = 1000;
const MOST = 2 * SIZE;

function* pieces(ids: Int32Array, size: number): Generator<Int32Array> {
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size);
}

/** Which block holds whom: a change of a few rewrites their blocks, and a hundred thousand are read in a hundred. */
export function createBlocks() {
  const blocks = new Map<number, Int32Array>();
  let keys: number[] = [];

  const renew = () => {
    keys = [...blocks.keys()].toSorted((a, b) => a - b);
  };

  function keyOf(id: number): number | undefined {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((keys[middle] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return keys[Math.max(0, low - 1)];
  }

  /** Whether somebody new comes after everybody, and the last block has no room for them. */
  function isBeyond(id: number): boolean {
    const last = blocks.get(keys.at(-1) ?? 0);
    return last === undefined || (last.length >= SIZE && id > (last.at(-1) ?? 0));
  }

  function write(key: number, ids: Int32Array, rewrite: Rewrite): void {
    if (ids.length === 0) {
      blocks.delete(key);
      rewrite.drop.push(key);
      return;
    }
    // The first piece keeps the key: it may hold ids below it.
    for (const [at, piece] of [...pieces(ids, ids.length > MOST ? SIZE : MOST)].entries()) {
      const own = at === 0 ? key : (piece[0] ?? key);
      blocks.set(own, piece);
      rewrite.put.push({ key: own, ids: piece });
    }
  }

  return {
    /** Takes over what another tab wrote: these blocks, and no others than `present`. Returns who is in none any more. */
    take(written: readonly Block[], present: readonly number[]): Set<number> {
      const gone = new Set<number>();
      const stay = new Set(present);
      const leave = (key: number) => {
        for (const id of blocks.get(key) ?? []) gone.add(id);
      };
      for (const key of keys.filter((one) => !stay.has(one))) {
        leave(key);
        blocks.delete(key);
      }
      for (const { key } of written) leave(key);
      for (const { key, ids } of written) {
        blocks.set(key, ids);
        for (const id of ids) gone.delete(id);
      }
      renew();
      return gone;
    },

    /** Puts people in and takes people out; returns what has to be written for that. */
    change(put: Iterable<number>, remove: Iterable<number>): Rewrite {
      const rewrite: Rewrite = { put: [], drop: [] };
      const touched = new Map<number, Set<number>>();
      const beyond: number[] = [];
      const members = (id: number) => {
        const key = keyOf(id);
        if (key === undefined) return undefined;
        const set = touched.get(key) ?? new Set(blocks.get(key));
        touched.set(key, set);
        return set;
      };
      for (const id of put) {
        if (isBeyond(id)) beyond.push(id);
        else members(id)?.add(id);
      }
      for (const id of remove) members(id)?.delete(id);
      for (const [key, ids] of touched) write(key, Int32Array.from(ids).toSorted(), rewrite);
      for (const ids of pieces(Int32Array.from(new Set(beyond)).toSorted(), SIZE))
        write(ids[0] ?? 0, ids, rewrite);
      renew();
      return rewrite;
    },
  };
}
