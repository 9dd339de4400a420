/** What came of one item. */
interface Outcome<Item> {
  item: Item;
  error: unknown;
}

export interface Run<Item> {
  /** Goes on with what is left, until all is done or `stop` is called; resolves then. */
  go: () => Promise<void>;
  /** Begins nothing more; what is on its way ends. */
  stop: () => void;
  outcomes: () => readonly Outcome<Item>[];
  left: () => number;
}

/** Does the same to many items, some at a time; a failure of one stops no other. */
export function createRun<Item>(
  items: readonly Item[],
  { atOnce, act, onStep }: { atOnce: number; act: (item: Item) => Promise<unknown>; onStep: () => void },
): Run<Item> {
  const waiting = [...items];
  const outcomes: Outcome<Item>[] = [];
  let stopped = false;

  async function lane(): Promise<void> {
    for (;;) {
      const item = stopped ? undefined : waiting.shift();
      if (item === undefined) return;
      let error: unknown;
      try {
        // A lane does one at a time; that is what the lanes are for.
        // oxlint-disable-next-line no-await-in-loop
        await act(item);
      } catch (thrown) {
        error = thrown;
      }
      outcomes.push({ item, error });
      onStep();
    }
  }

  return {
    async go() {
      stopped = false;
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    stop() {
      stopped = true;
    },
    outcomes: () => outcomes,
    left: () => waiting.length,
  };
}
