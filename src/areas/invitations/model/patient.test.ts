import { expect, test, vi } from 'vitest';
import { patiently, secondsToWait } from './patient.ts';

const answer = (status: number, headers?: Record<string, string>) => ({
  response: new Response(null, { status, ...(headers && { headers }) }),
});

test('seconds, a date, nothing, nonsense', () => {
  const now = Date.parse('2026-03-01T08:00:00Z');
  const said = (value?: string) =>
    secondsToWait(answer(429, value === undefined ? undefined : { 'Retry-After': value }).response, now);
  expect(said('7')).toBe(7);
  expect(said('0')).toBe(1);
  expect(said('86400')).toBe(86_400);
  expect(said('Sun, 01 Mar 2026 08:00:20 GMT')).toBe(20);
  expect(said()).toBe(10);
  expect(said('soon')).toBe(10);
});

test('the call comes again after the wait, and any other answer ends it', async () => {
  const answers = [answer(429, { 'Retry-After': '3' }), answer(429), answer(409)];
  const call = vi.fn<() => Promise<ReturnType<typeof answer>>>(() =>
    Promise.resolve(answers.shift() ?? answer(500)),
  );
  const wait = vi.fn<(seconds: number) => Promise<void>>(() => Promise.resolve());
  expect((await patiently(call, wait)).response.status).toBe(409);
  expect(wait.mock.calls).toEqual([[3], [10]]);
});

test('nobody waits for hours: the refusal is the answer', async () => {
  const wait = vi.fn<(seconds: number) => Promise<void>>(() => Promise.resolve());
  const told = await patiently(() => Promise.resolve(answer(429, { 'Retry-After': '86400' })), wait);
  expect(told.response.status).toBe(429);
  expect(wait).not.toHaveBeenCalled();
});

test('who stops waiting makes no further call', async () => {
  const call = vi.fn<() => Promise<ReturnType<typeof answer>>>(() => Promise.resolve(answer(429)));
  await expect(patiently(call, () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
  expect(call).toHaveBeenCalledTimes(1);
});
