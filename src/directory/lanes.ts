/** Runs calls at most so many at a time, in the order in which they were asked for. */
export function createLanes(atOnce: number): <Result>(call: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async (call) => {
    // Who leaves hands its place to the next: `running` stays.
    if (running >= atOnce) await new Promise<void>((enter) => waiting.push(enter));
    else running += 1;
    try {
      return await call();
    } finally {
      leave();
    }
  };
}
