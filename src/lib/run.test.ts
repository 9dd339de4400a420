import { expect, test } from 'vitest';
import { createRun } from './run.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));
const refuseThree = async (item: number) => {
  if (item === 3) throw new Error('no');
};
const TEN = Array.from({ length: 10 }, (_, at) => at + 1);

test('every item is done once, never more at a time than allowed', async () => {
  let now = 0;
  let most = 0;
  const act = async () => {
    most = Math.max(most, (now += 1));
    await tick();
    now -= 1;
  };
  const run = createRun(TEN, { atOnce: 4, act, onStep: () => undefined });
  await run.go();
  expect(most).toBe(4);
  expect(run.outcomes().map(({ item }) => item)).toEqual(TEN);
  expect(run.left()).toBe(0);
});

test('a failure is told and stops no other', async () => {
  const run = createRun(TEN, { atOnce: 2, act: refuseThree, onStep: () => undefined });
  await run.go();
  expect(run.outcomes()).toHaveLength(10);
  expect(run.outcomes().filter(({ error }) => error !== undefined)).toMatchObject([{ item: 3 }]);
});

test('a stopped run goes on where it stopped', async () => {
  const done: number[] = [];
  const act = async (item: number) => {
    await tick();
    done.push(item);
  };
  const run = createRun(TEN, { atOnce: 2, act, onStep: () => done.length === 4 && run.stop() });
  await run.go();
  expect(run.left()).toBeGreaterThan(3);
  expect(done.length + run.left()).toBe(10);
  await run.go();
  expect(done.toSorted((a, b) => a - b)).toEqual(TEN);
});
