import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStallTimer } from './stall-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pending = () => Promise.withResolvers<string>();

function create() {
  const onStall = vi.fn<() => void>();
  return { onStall, timer: createStallTimer(20_000, onStall) };
}

test('reports work without progress once, and not before its time', async () => {
  const { onStall, timer } = create();
  void timer.track(pending().promise);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(onStall).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_001);
  expect(onStall).toHaveBeenCalledTimes(1);
});

test('progress restarts the time', async () => {
  const { onStall, timer } = create();
  void timer.track(pending().promise);
  for (let round = 0; round < 5; round += 1) {
    await vi.advanceTimersByTimeAsync(15_000);
    timer.recordProgress();
  }
  expect(onStall).not.toHaveBeenCalled();
});

test('idle time and waits for the network do not count', async () => {
  const { onStall, timer } = create();
  const [work, wait] = [pending(), pending()];
  await vi.advanceTimersByTimeAsync(60_000);
  const result = timer.track(work.promise);
  const bytes = timer.pauseFor(wait.promise);
  await vi.advanceTimersByTimeAsync(60_000);
  wait.resolve('bytes');
  expect(await bytes).toBe('bytes');
  await vi.advanceTimersByTimeAsync(15_000);
  work.resolve('page');
  expect(await result).toBe('page');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onStall).not.toHaveBeenCalled();
});

test('a stopped timer reports nothing', async () => {
  const { onStall, timer } = create();
  void timer.track(pending().promise);
  timer.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onStall).not.toHaveBeenCalled();
});
