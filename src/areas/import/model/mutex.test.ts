import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createMutex } from './mutex.ts';

test('runs calls one after the other, continues after a failure and skips aborted calls', async () => {
  const inTurn = createMutex();
  const done: string[] = [];
  const act = (name: string) => async () => {
    done.push(`${name} begins`);
    await Promise.resolve();
    done.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
  };
  const { signal } = new AbortController();
  const given = new AbortController();
  const all = Promise.allSettled([
    inTurn(act('a'), signal),
    inTurn(act('b'), given.signal),
    inTurn(act('c'), signal),
  ]);
  given.abort();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(done).toEqual(['a begins', 'a ends', 'c begins', 'c ends']);
});

test('ends with the answer to the last query key after a change and a change back', async () => {
  const inTurn = createMutex();
  const first = Promise.withResolvers<void>();
  let lastRun = '';
  let startedCount = 0;
  const createOptions = (question: string) => ({
    queryKey: ['import-check', question],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      inTurn(async () => {
        startedCount += 1;
        if (startedCount === 1) await first.promise;
        lastRun = question;
        return question;
      }, signal),
    gcTime: 0,
    retry: false,
  });
  const observer = new QueryObserver(new QueryClient(), createOptions('a'));
  const stop = observer.subscribe(() => undefined);
  await expect.poll(() => startedCount).toBe(1);
  observer.setOptions(createOptions('b'));
  observer.setOptions(createOptions('a'));
  first.resolve();
  await expect.poll(() => observer.getCurrentResult().data).toBe('a');
  // All queued calls are done.
  await inTurn(() => Promise.resolve(), new AbortController().signal);
  expect(lastRun).toBe('a');
  stop();
});
