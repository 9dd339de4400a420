/** Time within which requests for single ids are collected into one, in milliseconds. */
const COLLECT_MS = 20;

/**
 * Returns a function that reads the value of one id; calls within 20 ms are answered by one `load`, of at most `maxIds` ids. An id that
 * `load` does not answer becomes undefined; if `load` fails, all of its calls fail.
 */
export function createBatchReader<Value>(
  load: (ids: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
  maxIds: number,
): (id: number) => Promise<Value | undefined> {
  let ids = new Set<number>();
  let batch: Promise<ReadonlyMap<number, Value>> | undefined;
  const start = (): Promise<ReadonlyMap<number, Value>> => {
    const collected = new Set<number>();
    ids = collected;
    const started = new Promise<void>((resolve) => setTimeout(resolve, COLLECT_MS)).then(() => {
      if (batch === started) batch = undefined;
      return load([...collected]);
    });
    return started;
  };
  return async (id) => {
    if (!batch || ids.size >= maxIds) batch = start();
    ids.add(id);
    return (await batch).get(id);
  };
}
