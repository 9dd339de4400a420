import { expect, it, vi } from 'vitest';
import { ServiceError, UnknownOutcomeError } from './errors.ts';
import { client as api } from './generated/client.gen.ts';
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

/** Answers with a success that breaks off. */
const breakOff = () => {
  const body = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) });
  return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
};

it('calls the outcome of a write unknown whose answer breaks off', async () => {
  const options = {
    baseUrl: 'https://console.example',
    url: '/user',
    fetch: breakOff,
    throwOnError: true,
  } as const;
  await expect(api.put(options)).rejects.toBeInstanceOf(UnknownOutcomeError);
  const read = api.get(options);
  await expect(read).rejects.toMatchObject({ status: 0, message: 'The service cannot be reached' });
  await expect(read).rejects.not.toBeInstanceOf(UnknownOutcomeError);
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
