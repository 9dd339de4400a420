import { expect, test, vi } from 'vitest';
import { createBatchReader } from './batch-requests.ts';

test('collects calls into requests of a limited size, and answers each its own value', async () => {
  vi.useFakeTimers();
  try {
    const load = vi.fn<(ids: readonly number[]) => Promise<ReadonlyMap<number, string>>>((ids) =>
      Promise.resolve(new Map(ids.filter((id) => id !== 3).map((id) => [id, `value ${id}`]))),
    );
    const read = createBatchReader(load, 2);
    const answers = Promise.all([1, 2, 3, 2].map(read));
    await vi.advanceTimersByTimeAsync(100);
    expect(await answers).toEqual(['value 1', 'value 2', undefined, 'value 2']);
    expect(load.mock.calls).toEqual([[[1, 2]], [[3, 2]]]);
    const later = read(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(await later).toBe('value 1');
    expect(load).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});
