import type { RowSource } from '../../ui/table/row-source.ts';
import type { Outcome, Planned, SentRow } from './plan.ts';
import type { Board } from './board.ts';
import type { Remote } from 'comlink';

const BLOCK = 200;

/** The checked rows by their place, fetched from the desk as they come into view. */
export function plannedRows(
  desk: Remote<Board>,
  outcomes: readonly Outcome[],
  length: number,
): RowSource<Planned> {
  const blocks = new Map<number, readonly Planned[]>();
  const listeners = new Set<() => void>();
  let turn = 0;

  async function fetchBlock(block: number): Promise<void> {
    blocks.set(block, []);
    blocks.set(block, await desk.some(outcomes, block * BLOCK, (block + 1) * BLOCK));
    turn += 1;
    for (const listener of listeners) listener();
  }

  return {
    length,
    at(index) {
      const block = Math.floor(index / BLOCK);
      if (!blocks.has(block) && index < length) void fetchBlock(block);
      return blocks.get(block)?.[index - block * BLOCK];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    turn: () => turn,
  };
}

interface Sender {
  toSend: (from: number, to: number) => Promise<SentRow[]>;
}

/**
 * All rows that would be sent, a portion at a time.
 * @throws Error where they are not as many as somebody agreed to: they were checked again meanwhile
 */
export async function rowsToSend(desk: Sender, length: number): Promise<SentRow[]> {
  const rows: SentRow[] = [];
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- all at once would stop the page
    const some = await desk.toSend(rows.length, rows.length + BLOCK * 5);
    rows.push(...some);
    if (some.length === 0) break;
  }
  if (rows.length !== length)
    throw new Error('The rows were checked again meanwhile. Look at them once more.');
  return rows;
}
