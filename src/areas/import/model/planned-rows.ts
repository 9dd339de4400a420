import type { Remote } from 'comlink';
import type { PlanStore } from '../../../files/import-plan/plan-store.ts';
import type { RowOutcome, ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { RowSource } from '../../../ui/table/row-source.ts';

const BLOCK_SIZE = 200;

/** Planned rows by index, loaded from the worker as they come into view. */
export function createPlannedRows(
  client: Remote<PlanStore>,
  outcomes: readonly RowOutcome[],
  length: number,
): RowSource<ImportRowPlan> {
  const blocks = new Map<number, readonly ImportRowPlan[]>();
  const listeners = new Set<() => void>();
  let revision = 0;

  async function fetchBlock(block: number): Promise<void> {
    blocks.set(block, []);
    blocks.set(block, await client.getPlansByOutcome(outcomes, block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE));
    revision += 1;
    for (const listener of listeners) listener();
  }

  return {
    length,
    at(index) {
      const block = Math.floor(index / BLOCK_SIZE);
      if (!blocks.has(block) && index < length) void fetchBlock(block);
      return blocks.get(block)?.[index - block * BLOCK_SIZE];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getRevision: () => revision,
  };
}

interface ConfirmedPlanSource {
  getConfirmedPlans: (from: number, to: number) => Promise<readonly ImportRowPlan[]>;
}

/**
 * Loads the plans of all rows to import, in portions. @throws Error if their number differs from the confirmed one because they were
 * checked again
 */
export async function loadConfirmedPlans(
  source: ConfirmedPlanSource,
  length: number,
): Promise<ImportRowPlan[]> {
  const plans: ImportRowPlan[] = [];
  for (;;) {
    // All at once would stop the page.
    const portion = await source.getConfirmedPlans(plans.length, plans.length + BLOCK_SIZE * 5);
    plans.push(...portion);
    if (portion.length === 0) break;
  }
  if (plans.length !== length)
    throw new Error('The rows were checked again in the meantime. Review them once more.');
  return plans;
}
