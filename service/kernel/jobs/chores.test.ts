import { expect, test, vi } from 'vitest';
import { createLog } from '../log.ts';
import { startChores } from './chores.ts';

const log = createLog('silent');

test('a chore runs at the start, when it is woken, and at its pace; a failure does not end it', async () => {
  let runs = 0;
  const chores = startChores({
    log,
    chores: [
      {
        name: 'count',
        everyMs: 20,
        run: async () => {
          runs += 1;
          if (runs === 1) throw new Error('The first round fails');
        },
      },
    ],
  });
  await vi.waitFor(() => expect(runs).toBeGreaterThan(2));
  await chores.stop();
  const ended = runs;
  chores.wake('count');
  expect(runs).toBe(ended);
});

test('what wakes it while it runs makes it run once more; stopping waits for what is under way', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: number[] = [];
  const chores = startChores({
    log,
    chores: [
      {
        name: 'wait',
        everyMs: 3_600_000,
        run: async () => {
          const round = begun.length;
          begun.push(round);
          await gates[round]?.promise;
        },
      },
    ],
  });
  chores.wake('wait');
  chores.wake('wait');
  expect(begun).toEqual([0]);
  gates[0]?.resolve();
  await vi.waitFor(() => expect(begun).toEqual([0, 1]));
  let stopped = false;
  const stopping = chores.stop().then(() => (stopped = true));
  expect(stopped).toBe(false);
  gates[1]?.resolve();
  await stopping;
  expect(begun).toEqual([0, 1]);
});
