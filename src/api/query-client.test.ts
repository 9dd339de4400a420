import { expect, it, vi } from 'vitest';
import { ServiceError } from './errors.ts';
import { createQueryClient, whenQuiet } from './query-client.ts';

it.each([
  [0, 3],
  [503, 3],
  [500, 3],
  [404, 1],
  [401, 1],
])('reads with status %d are tried %d times', async (status, calls) => {
  vi.useFakeTimers();
  const queryFn = vi.fn<() => Promise<never>>().mockRejectedValue(new ServiceError(status, 'no'));
  const { retry, ...rest } = createQueryClient().getDefaultOptions().queries ?? {};
  const read = createQueryClient().fetchQuery({
    ...rest,
    retry: retry ?? false,
    queryKey: [{ _id: 'x' }],
    queryFn,
  });
  await Promise.allSettled([read, vi.runAllTimersAsync()]);
  expect(queryFn).toHaveBeenCalledTimes(calls);
  vi.useRealTimers();
});

it('waits until all queries and the queries that follow them are done', async () => {
  vi.useFakeTimers();
  const client = createQueryClient();
  const answers: (() => void)[] = [];
  const read = (name: string) =>
    void client.fetchQuery({
      queryKey: [{ _id: name }],
      queryFn: () => new Promise<string>((resolve) => answers.push(() => resolve(name))),
    });
  const act = vi.fn<() => void>();
  whenQuiet(client, act);
  read('schema');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(act).not.toHaveBeenCalled();
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(1);
  read('rows');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(act).not.toHaveBeenCalled();
  answers[1]?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(act).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
