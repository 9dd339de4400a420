import type { RowSource } from '../ui/table/row-source.ts';
import type { Answer } from './keeper.ts';
import type { DirectoryRow } from './row.ts';

const BLOCK = 100;
// Some thousand rows are held; whoever scrolls on lets go of those seen first.
const MOST_BLOCKS = 40;

/** The place that was looked at last: the next answer brings its rows with it. */
export const looking = { at: 0 };

/**
 * Rows of an answer by their place. Those that are not there are fetched in blocks, with the blocks beside them, so
 * that scrolling finds them there.
 */
export function windowed(
  { ids, from, rows }: Omit<Answer, 'counts'>,
  fetchRows: (ids: Int32Array) => Promise<DirectoryRow[]>,
): RowSource<DirectoryRow> {
  const known = new Map(rows.map((row) => [row.id, row]));
  const asked = new Map<number, Int32Array>();
  const listeners = new Set<() => void>();
  let turn = 0;
  for (let block = Math.ceil(from / BLOCK); (block + 1) * BLOCK <= from + rows.length; block += 1)
    asked.set(block, ids.subarray(block * BLOCK, (block + 1) * BLOCK));

  const letGo = () => {
    for (const [block, gone] of asked) {
      if (asked.size <= MOST_BLOCKS) return;
      asked.delete(block);
      for (const id of gone) known.delete(id);
    }
  };

  const fetchBlock = async (block: number) => {
    const wanted = ids.subarray(block * BLOCK, (block + 1) * BLOCK);
    if (block < 0 || wanted.length === 0 || asked.has(block)) return;
    asked.set(block, wanted);
    letGo();
    try {
      for (const row of await fetchRows(wanted.slice())) known.set(row.id, row);
      turn += 1;
      for (const listener of listeners) listener();
    } catch {
      asked.delete(block);
    }
  };

  return {
    length: ids.length,
    idAt: (index) => ids[index],
    at(index) {
      const id = ids[index];
      if (id === undefined) return undefined;
      looking.at = index;
      const block = Math.floor(index / BLOCK);
      for (const each of [block, block + 1, block - 1]) {
        if (!asked.has(each)) void fetchBlock(each);
      }
      return known.get(id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    turn: () => turn,
  };
}
