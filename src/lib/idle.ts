const MAX_WAIT_MS = 3000;

/** Calls a function when the browser is idle, after three seconds at the latest. */
export function whenIdle(act: () => void): void {
  // Safari has no idle callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: MAX_WAIT_MS });
  else setTimeout(act, MAX_WAIT_MS);
}
