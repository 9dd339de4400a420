import { lazy } from 'react';

const loads = new Set<() => Promise<unknown>>();
let ahead = false;

// What fails here is fetched again when it is needed.
const fetchNow = (load: () => Promise<unknown>) => load().catch(() => undefined);

/** A part of the page whose code is not in the first load; `fetchAhead` fetches it before somebody needs it. */
export const later: typeof lazy = (load) => {
  if (ahead) void fetchNow(load);
  else loads.add(load);
  return lazy(load);
};

/** Fetches the code of every such part, of those too that come with later code. */
export function fetchAhead(): void {
  ahead = true;
  for (const load of loads) void fetchNow(load);
  loads.clear();
}

const AT_LATEST = 3000;

/** Does it once the page has nothing more urgent to do, after three seconds at the latest. */
export function whenIdle(act: () => void): void {
  // Safari has no idle callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: AT_LATEST });
  else setTimeout(act, AT_LATEST);
}
