import type { RowVm } from '../../../api/generated/types.gen.ts';
import { createRows } from './rows.ts';
import type { EntryRows } from './rows.ts';

interface Answer {
  totalRecords: number;
  rows: readonly RowVm[];
}

/** Asks for the first window of a list, of which the answer is told too, and reads the others where somebody looks. */
export async function beginRows<A extends Answer>(
  ask: (skip: number, stop: AbortSignal) => Promise<A>,
  signal: AbortSignal,
): Promise<{ rows: EntryRows; first: A }> {
  const asked = performance.now();
  const first = await ask(0, signal);
  const rows = createRows({
    total: first.totalRecords,
    first: first.rows,
    took: performance.now() - asked,
    read: async (skip, stop) => (await ask(skip, stop)).rows,
  });
  return { rows, first };
}
