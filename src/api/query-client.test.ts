import { expect, it, vi } from 'vitest';
import { ServiceError } from './errors.ts';
import { createQueryClient } from './query-client.ts';

it.each([
  [0, 3],
  [503, 3],
  [500, 3],
  [501, 1],
  [404, 1],
  [401, 1],
])('reads again after status %d as often as it may help', async (status, calls) => {
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
