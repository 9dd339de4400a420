import { expect, test } from 'vitest';
import { createPlanStore } from '../../../files/import-plan/plan-store.ts';
import type { RowOutcome, ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { loadConfirmedPlans } from './planned-rows.ts';

const plansOf = (outcomes: readonly RowOutcome[], name: string): ImportRowPlan[] =>
  outcomes.map((outcome, at) => ({
    row: at + 2,
    outcome,
    id: undefined,
    name,
    detail: '',
    changes: [],
    errors: [],
    work: undefined,
  }));

const MANY = 2500;
const all = (outcome: RowOutcome) => Array.from({ length: MANY }, () => outcome);

/** A store whose rows are checked again after the first portion was loaded. */
function checkedAgain() {
  const planStore = createPlanStore<unknown>();
  planStore.setPlans(plansOf(all('create'), 'agreed to'));
  return {
    ...planStore,
    getConfirmedPlans: (from: number, to: number) => {
      const some = planStore.getConfirmedPlans(from, to);
      planStore.setPlans(plansOf(['skip', ...all('update')], 'checked again'));
      return Promise.resolve(some);
    },
  };
}

test('loads the confirmed rows, even if the rows are checked again in between', async () => {
  const plans = await loadConfirmedPlans(checkedAgain(), MANY);
  expect(plans).toHaveLength(MANY);
  expect(new Set(plans.map(({ name }) => name))).toEqual(new Set(['agreed to']));
});

test('rejects a number of rows other than the confirmed one', async () => {
  await expect(loadConfirmedPlans(checkedAgain(), MANY - 1)).rejects.toThrow('checked again');
  await expect(loadConfirmedPlans(checkedAgain(), MANY + 1)).rejects.toThrow('checked again');
});
