/**
 * Lets one thing be done after the other. What nobody waits for any more when its turn comes is not begun: what is done
 * last is what was asked for last.
 */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Answer>(act: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> => {
    const next = last.then(() => {
      signal.throwIfAborted();
      return act();
    });
    last = next.catch(() => undefined);
    return next;
  };
}
