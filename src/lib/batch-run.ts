/** Result of one item; `error` is undefined after a success. */
interface Outcome<Item> {
  item: Item;
  error: unknown;
}

/** A run over a list that can be stopped and continued. */
export interface BatchRun<Item> {
  /** Processes the remaining items; resolves when all are done or, after `stop`, when the running ones are. */
  run: () => Promise<void>;
  /** Starts no further item; running ones finish. */
  stop: () => void;
  getOutcomes: () => readonly Outcome<Item>[];
  countRemaining: () => number;
}

/** Creates a run that applies `act` to every item, `concurrency` at a time; a failure does not stop the others. */
export function createBatchRun<Item>(
  items: readonly Item[],
  {
    concurrency,
    action: act,
    onStep,
  }: { concurrency: number; action: (item: Item) => Promise<unknown>; onStep: () => void },
): BatchRun<Item> {
  const queue = [...items];
  const outcomes: Outcome<Item>[] = [];
  let isStopped = false;

  async function runWorker(): Promise<void> {
    for (;;) {
      const item = isStopped ? undefined : queue.shift();
      if (item === undefined) return;
      let error: unknown;
      try {
        // A worker processes one item at a time.
        await act(item);
      } catch (thrown) {
        error = thrown;
      }
      outcomes.push({ item, error });
      onStep();
    }
  }

  return {
    async run() {
      isStopped = false;
      await Promise.all(Array.from({ length: concurrency }, runWorker));
    },
    stop() {
      isStopped = true;
    },
    getOutcomes: () => outcomes,
    countRemaining: () => queue.length,
  };
}
