import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('one follows the other, also behind one that failed; what is not waited for any more is not begun', async () => {
  const inTurn = createTurns();
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

test('who turns to another question and back while the first is looked at has its answer on the desk', async () => {
  const inTurn = createTurns();
  const first = Promise.withResolvers<void>();
  let desk = '';
  let begun = 0;
  const asking = (question: string) => ({
    queryKey: ['import-check', question],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      inTurn(async () => {
        begun += 1;
        if (begun === 1) await first.promise;
        desk = question;
        return question;
      }, signal),
    gcTime: 0,
    retry: false,
  });
  const observer = new QueryObserver(new QueryClient(), asking('a'));
  const stop = observer.subscribe(() => undefined);
  await expect.poll(() => begun).toBe(1);
  observer.setOptions(asking('b'));
  observer.setOptions(asking('a'));
  first.resolve();
  await expect.poll(() => observer.getCurrentResult().data).toBe('a');
  // Whatever was still to be looked at has been.
  await inTurn(() => Promise.resolve(), new AbortController().signal);
  expect(desk).toBe('a');
  stop();
});
