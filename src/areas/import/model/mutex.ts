/**
 * Creates a mutex: the returned function runs one call after the other. A call whose signal is aborted before its start
 * is skipped, so that the last call to run is the last one requested.
 */
export function createMutex() {
  let lastCall: Promise<unknown> = Promise.resolve();
  return <Answer>(act: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> => {
    const call = lastCall.then(() => {
      signal.throwIfAborted();
      return act();
    });
    lastCall = call.catch(() => undefined);
    return call;
  };
}
