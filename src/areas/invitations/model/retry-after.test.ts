import { expect, test, vi } from 'vitest';
import { retryWhenLimited, getRetryAfterSeconds } from './retry-after.ts';

const answer = (status: number, headers?: Record<string, string>) => ({
  response: new Response(null, { status, ...(headers && { headers }) }),
});

test('parses seconds and dates and falls back to the default', () => {
  const now = Date.parse('2026-03-01T08:00:00Z');
  const text = (value?: string) =>
    getRetryAfterSeconds(
      answer(429, value === undefined ? undefined : { 'Retry-After': value }).response,
      now,
    );
  expect(text('7')).toBe(7);
  expect(text('0')).toBe(1);
  expect(text('86400')).toBe(86_400);
  expect(text('Sun, 01 Mar 2026 08:00:20 GMT')).toBe(20);
  expect(text()).toBe(10);
  expect(text('soon')).toBe(10);
});

test('retries after the wait until the answer is not a 429', async () => {
  const answers = [answer(429, { 'Retry-After': '3' }), answer(429), answer(409)];
  const call = vi.fn<() => Promise<ReturnType<typeof answer>>>(() =>
    Promise.resolve(answers.shift() ?? answer(500)),
  );
  const wait = vi.fn<(seconds: number) => Promise<void>>(() => Promise.resolve());
  expect((await retryWhenLimited(call, wait)).response.status).toBe(409);
  expect(wait.mock.calls).toEqual([[3], [10]]);
});

test('returns the refusal if the wait is too long', async () => {
  const wait = vi.fn<(seconds: number) => Promise<void>>(() => Promise.resolve());
  const results = await retryWhenLimited(
    () => Promise.resolve(answer(429, { 'Retry-After': '86400' })),
    wait,
  );
  expect(results.response.status).toBe(429);
  expect(wait).not.toHaveBeenCalled();
});

test('makes no further call once waiting is stopped', async () => {
  const call = vi.fn<() => Promise<ReturnType<typeof answer>>>(() => Promise.resolve(answer(429)));
  await expect(retryWhenLimited(call, () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
  expect(call).toHaveBeenCalledTimes(1);
});
