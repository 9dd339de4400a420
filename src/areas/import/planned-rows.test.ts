import { expect, test } from 'vitest';
import { createBoard } from './board.ts';
import type { Outcome, Planned } from './plan.ts';
import { rowsToSend } from './planned-rows.ts';

const plansOf = (outcomes: readonly Outcome[], name: string): Planned[] =>
  outcomes.map((outcome, at) => ({
    row: at + 2,
    outcome,
    id: undefined,
    name,
    detail: '',
    changes: [],
    faults: [],
    work: undefined,
  }));

const MANY = 2500;
const all = (outcome: Outcome) => Array.from({ length: MANY }, () => outcome);

/** A desk whose rows are checked again after the first portion was taken. */
function checkedAgain() {
  const board = createBoard<unknown>();
  board.put(plansOf(all('create'), 'agreed to'));
  return {
    ...board,
    toSend: (from: number, to: number) => {
      const some = board.toSend(from, to);
      board.put(plansOf(['skip', ...all('update')], 'checked again'));
      return Promise.resolve(some);
    },
  };
}

test('what is sent is what was agreed to, also where rows are checked again while it is taken', async () => {
  const rows = await rowsToSend(checkedAgain(), MANY);
  expect(rows).toHaveLength(MANY);
  expect(new Set(rows.map(({ plan }) => plan.name))).toEqual(new Set(['agreed to']));
});

test('rows of which there are more or fewer than somebody agreed to are not sent', async () => {
  await expect(rowsToSend(checkedAgain(), MANY - 1)).rejects.toThrow('checked again');
  await expect(rowsToSend(checkedAgain(), MANY + 1)).rejects.toThrow('checked again');
});
