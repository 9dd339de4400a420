import { afterEach, expect, test, vi } from 'vitest';
import { fetchWithLimit } from '../../api/answer-limit.ts';
import { toastStore } from '../../ui/toast.ts';
import { toastFailedWrite } from './failed-write.ts';

afterEach(() => {
  toastStore.set([]);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The error of a call that `respond` answers. */
const fail = (method: string, respond: (request: Request) => Promise<Response>) => {
  vi.stubGlobal('fetch', respond);
  return fetchWithLimit(new Request('https://console.example/console/api', { method })).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
};
const never = ({ signal }: Request) =>
  new Promise<Response>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
const show = (thrown: unknown) => {
  toastFailedWrite('The change', 'started', thrown);
  const { title, description } = toastStore.get().at(-1) ?? {};
  return { title, description };
};

test('does not say that a change was not started whose outcome is unknown', async () => {
  const lost = await fail('POST', () => Promise.resolve(new Response('', { status: 504 })));
  expect(show(lost)).toEqual({
    title: 'The change may have been started',
    description: 'A proxy answered with status 504. It is unknown whether it took effect',
  });
  vi.useFakeTimers();
  const unanswered = fail('POST', never);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(show(await unanswered)).toEqual({
    title: 'The change may have been started',
    description: 'The service did not answer within 30 seconds. It is unknown whether it took effect',
  });
});

test('says that a change was not started after a refusal, or if what it needs could not be read', async () => {
  vi.useFakeTimers();
  const unread = fail('GET', never);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(show(await unread)).toEqual({
    title: 'The change was not started',
    description: 'The service did not answer within 30 seconds',
  });
  expect(show(new Error('Refused')).title).toBe('The change was not started');
});
