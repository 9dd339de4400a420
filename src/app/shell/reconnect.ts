import type { QueryClient } from '@tanstack/react-query';
import { getSession } from '../../api/generated/sdk.gen.ts';
import { unreachableSince } from '../../api/reach.ts';

const SHORTEST = 1000;
const LONGEST = 30_000;

let timer: number | undefined;
let wait = SHORTEST;

/** Asks the service for a sign of life; what it says is noted where every call is (api/reach.ts). */
export async function tryAgain(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  await getSession({ throwOnError: false });
  if (unreachableSince.get() && timer === undefined) timer = window.setTimeout(() => void tryAgain(), wait);
  wait = Math.min(wait * 2, LONGEST);
}

/** While no answer comes: tries again by itself, ever less often, and at once when the network is back. */
export function keepTrying(queryClient: QueryClient, reloadRoutes: () => Promise<unknown>): void {
  unreachableSince.subscribe(() => {
    if (unreachableSince.get()) {
      wait = SHORTEST;
      timer = window.setTimeout(() => void tryAgain(), wait);
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    void queryClient.invalidateQueries();
    void reloadRoutes();
  });
  addEventListener('online', () => {
    if (unreachableSince.get()) void tryAgain();
  });
}
