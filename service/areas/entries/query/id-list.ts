/** Ids in ascending order: a million of them take four megabytes, and one is found in twenty steps. */
export type Ids = Readonly<Int32Array>;

export const NO_IDS: Ids = new Int32Array();

/** Ids as the database packs them, four bytes each (`int4send`); nothing at all for none. */
export function unpacked(bytes: Uint8Array | null): Int32Array {
  if (bytes === null) return new Int32Array();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids = new Int32Array(bytes.byteLength / 4);
  for (let at = 0; at < ids.length; at += 1) ids[at] = view.getInt32(at * 4);
  return ids;
}

export function hasId(ids: Ids, id: number): boolean {
  let [from, to] = [0, ids.length - 1];
  while (from <= to) {
    const middle = (from + to) >>> 1;
    const found = ids[middle] ?? 0;
    if (found === id) return true;
    if (found < id) from = middle + 1;
    else to = middle - 1;
  }
  return false;
}

/** Those of `ids` that are among the others, or are not. */
export function idsIn(ids: Ids, others: Ids, among: boolean): Int32Array {
  let beside = 0;
  return ids.filter((id) => {
    while (beside < others.length && (others[beside] ?? 0) < id) beside += 1;
    return (others[beside] === id) === among;
  });
}

/** Lists of ids, each behind the one before it, as one. */
export function joined(lists: readonly Ids[]): Int32Array {
  const all = new Int32Array(lists.reduce((length, ids) => length + ids.length, 0));
  let at = 0;
  for (const ids of lists) {
    all.set(ids, at);
    at += ids.length;
  }
  return all;
}
