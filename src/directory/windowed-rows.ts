import type { RowSource } from '../ui/table/row-source.ts';
import type { DirectoryRow } from './engine/row.ts';
import type { SearchAnswer } from './replica-api.ts';

const BLOCK_ROWS = 100;
// Bounds memory: the oldest blocks are evicted while scrolling.
const MAX_BLOCKS = 40;

/** Index of the row that was viewed last; the next search returns the rows around it. */
export const lastViewed = { at: 0 };

/**
 * Row source over the ids of an answer. Missing rows are fetched in blocks together with the neighbouring blocks, so that
 * scrolling finds them loaded.
 */
export function createWindowedRows(
  { ids, from, rows }: Omit<SearchAnswer, 'counts'>,
  fetchRows: (ids: Int32Array) => Promise<DirectoryRow[]>,
): RowSource<DirectoryRow> {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const requestedBlocks = new Map<number, Int32Array>();
  const listeners = new Set<() => void>();
  let revision = 0;
  for (let block = Math.ceil(from / BLOCK_ROWS); (block + 1) * BLOCK_ROWS <= from + rows.length; block += 1)
    requestedBlocks.set(block, ids.subarray(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS));

  const evictBlocks = () => {
    for (const [block, blockIds] of requestedBlocks) {
      if (requestedBlocks.size <= MAX_BLOCKS) return;
      requestedBlocks.delete(block);
      for (const id of blockIds) rowsById.delete(id);
    }
  };

  const fetchBlock = async (block: number) => {
    const blockIds = ids.subarray(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS);
    if (block < 0 || blockIds.length === 0 || requestedBlocks.has(block)) return;
    requestedBlocks.set(block, blockIds);
    evictBlocks();
    try {
      const fetched = await fetchRows(blockIds.slice());
      // Scrolled away and evicted in the meantime.
      if (requestedBlocks.get(block) !== blockIds) return;
      for (const row of fetched) rowsById.set(row.id, row);
      revision += 1;
      for (const listener of listeners) listener();
    } catch {
      if (requestedBlocks.get(block) === blockIds) requestedBlocks.delete(block);
    }
  };

  return {
    length: ids.length,
    idAt: (index) => ids[index],
    at(index) {
      const id = ids[index];
      if (id === undefined) return undefined;
      lastViewed.at = index;
      const block = Math.floor(index / BLOCK_ROWS);
      for (const each of [block, block + 1, block - 1]) {
        if (!requestedBlocks.has(each)) void fetchBlock(each);
      }
      return rowsById.get(id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getRevision: () => revision,
  };
}
