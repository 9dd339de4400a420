import { expect, test } from 'vitest';
import { createBatchRun } from './batch-run.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));
const refuseThree = async (item: number) => {
  if (item === 3) throw new Error('no');
};
const TEN = Array.from({ length: 10 }, (_, at) => at + 1);

test('processes every item once within the concurrency limit', async () => {
  let now = 0;
  let highest = 0;
  const act = async () => {
    highest = Math.max(highest, (now += 1));
    await tick();
    now -= 1;
  };
  const run = createBatchRun(TEN, { concurrency: 4, action: act, onStep: () => undefined });
  await run.run();
  expect(highest).toBe(4);
  expect(run.getOutcomes().map(({ item }) => item)).toEqual(TEN);
  expect(run.countRemaining()).toBe(0);
});

test('records a failure and continues with the other items', async () => {
  const run = createBatchRun(TEN, { concurrency: 2, action: refuseThree, onStep: () => undefined });
  await run.run();
  expect(run.getOutcomes()).toHaveLength(10);
  expect(run.getOutcomes().filter(({ error }) => error !== undefined)).toMatchObject([{ item: 3 }]);
});

test('continues a stopped run with the remaining items', async () => {
  const done: number[] = [];
  const act = async (item: number) => {
    await tick();
    done.push(item);
  };
  const run = createBatchRun(TEN, {
    concurrency: 2,
    action: act,
    onStep: () => done.length === 4 && run.stop(),
  });
  await run.run();
  expect(run.countRemaining()).toBeGreaterThan(3);
  expect(done.length + run.countRemaining()).toBe(10);
  await run.run();
  expect(done.toSorted((a, b) => a - b)).toEqual(TEN);
});
