/** Ids in ascending order, four bytes each; `hasId` finds one of a million in twenty steps. */
export type SortedIds = Readonly<Int32Array>;

export const NO_IDS: SortedIds = new Int32Array();

/** Ids from the bytes of `string_agg(int4send(id), '')`, in their order; null is the aggregate of no rows. */
export function unpackIds(bytes: Uint8Array | null): Int32Array {
  if (bytes === null) return new Int32Array();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids = new Int32Array(bytes.byteLength / 4);
  for (let index = 0; index < ids.length; index += 1) ids[index] = view.getInt32(index * 4);
  return ids;
}

export function hasId(ids: SortedIds, id: number): boolean {
  let [low, high] = [0, ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = ids[middle] ?? 0;
    if (candidate === id) return true;
    if (candidate < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** The ids that are among the others, or with `isAmong` false those that are not. */
export function filterIds(ids: SortedIds, others: SortedIds, isAmong: boolean): Int32Array {
  let index = 0;
  return ids.filter((id) => {
    while (index < others.length && (others[index] ?? 0) < id) index += 1;
    return (others[index] === id) === isAmong;
  });
}

/** Joins lists in the given order. */
export function concatIds(lists: readonly SortedIds[]): Int32Array {
  const joined = new Int32Array(lists.reduce((length, ids) => length + ids.length, 0));
  let offset = 0;
  for (const ids of lists) {
    joined.set(ids, offset);
    offset += ids.length;
  }
  return joined;
}
