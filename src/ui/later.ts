import { lazy } from 'react';

const loads = new Set<() => Promise<unknown>>();
let ahead = false;

// What fails here is fetched again when it is needed.
const fetchNow = (load: () => Promise<unknown>) => load().catch(() => undefined);

/**
 * A promise that tells at once what is known. `lazy` then draws the part in the same turn: for a promise that takes even a
 * moment React shows what stands in its place, and keeps that for 300 ms.
 */
function told<Value>(value: Value): Promise<Value> {
  const known = Promise.resolve(value);
  // oxlint-disable-next-line unicorn/no-thenable -- what `lazy` asks for is meant
  void Object.defineProperty(known, 'then', { value: (take: (value: Value) => void) => take(value) });
  return known;
}

/** A part of the page whose code is not in the first load; `fetchAhead` fetches it before somebody needs it. */
export const later: typeof lazy = (load) => {
  let module: Awaited<ReturnType<typeof load>> | undefined;
  const fetch = async () => {
    module = await load();
    return module;
  };
  if (ahead) void fetchNow(fetch);
  else loads.add(fetch);
  return lazy(() => (module ? told(module) : fetch()));
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
