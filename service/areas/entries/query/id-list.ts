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

const [ZERO, COMMA] = [0x30, 0x2c];
/** Length of the longest id, and of the comma after it. */
const MAX_ID_LENGTH = 11;
/** Memory that is used again for lists of a page. */
const PAGE_BYTES = Buffer.allocUnsafe(1_000 * MAX_ID_LENGTH);

/**
 * The ids divided by commas. `join` would make a text of each number, which V8 keeps in a cache: lists of a million ids would take
 * 24 MB until the old generation is collected.
 */
export function formatIds(ids: SortedIds): string {
  const needed = ids.length * MAX_ID_LENGTH;
  const bytes = needed <= PAGE_BYTES.length ? PAGE_BYTES : Buffer.allocUnsafe(needed);
  // From the last digit of the last id.
  let start = bytes.length;
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    if (start < bytes.length) {
      start -= 1;
      bytes[start] = COMMA;
    }
    let rest = ids[index] ?? 0;
    do {
      start -= 1;
      bytes[start] = ZERO + (rest % 10);
      rest = Math.floor(rest / 10);
    } while (rest > 0);
  }
  return bytes.toString('latin1', start);
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
