import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { failedTaskRuns } from '../telemetry/metrics.ts';
import { startScheduledTasks } from './scheduled-tasks.ts';

const log = createLog('silent');

test('runs a task at the start and at its interval, also after a failure, until it is stopped', async () => {
  let runCount = 0;
  const scheduler = startScheduledTasks({
    log,
    tasks: [
      {
        name: 'count',
        intervalMs: 20,
        run: async () => {
          runCount += 1;
          if (runCount === 1) throw new Error('The first run fails');
        },
      },
    ],
  });
  await vi.waitFor(() => expect(runCount).toBeGreaterThan(2), { timeout: 20_000 });
  expect((await failedTaskRuns.get()).values).toEqual([{ value: 1, labels: { task: 'count' } }]);
  await scheduler.stop();
  const finalCount = runCount;
  scheduler.wake('count');
  expect(runCount).toBe(finalCount);
});

test('waking a running task runs it once more; stopping waits for the running task', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const startedRuns: number[] = [];
  const scheduler = startScheduledTasks({
    log,
    tasks: [
      {
        name: 'wait',
        intervalMs: 3_600_000,
        run: async () => {
          const index = startedRuns.length;
          startedRuns.push(index);
          await gates[index]?.promise;
        },
      },
    ],
  });
  scheduler.wake('wait');
  scheduler.wake('wait');
  expect(startedRuns).toEqual([0]);
  gates[0]?.resolve();
  await vi.waitFor(() => expect(startedRuns).toEqual([0, 1]), { timeout: 20_000 });
  let isStopped = false;
  const stopping = scheduler.stop().then(() => (isStopped = true));
  expect(isStopped).toBe(false);
  gates[1]?.resolve();
  await stopping;
  expect(startedRuns).toEqual([0, 1]);
});

test('a task with an interval of 30 days runs once at the start', async () => {
  let runCount = 0;
  const scheduler = startScheduledTasks({
    log,
    tasks: [{ name: 'rare', intervalMs: 30 * 86_400_000, run: async () => void (runCount += 1) }],
  });
  await sleep(50);
  await scheduler.stop();
  expect(runCount).toBe(1);
});
