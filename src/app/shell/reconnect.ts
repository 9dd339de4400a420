import type { Query, QueryClient } from '@tanstack/react-query';
import { toServiceError } from '../../api/errors.ts';
import { getSession } from '../../api/generated/sdk/session.gen.ts';
import { unreachableSince } from '../../api/reachability.ts';
import { repeatedSignIns } from '../../api/session-state.ts';

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

let timer: number | undefined;
let retryDelayMs = MIN_RETRY_MS;
/** Whether an attempt failed since the service was last reached. */
let hasFailed = false;

/** Makes a call that updates the reachability (api/reachability.ts), and schedules the next attempt. */
export async function retryConnection(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  await getSession({ throwOnError: false });
  if (unreachableSince.get()) {
    hasFailed = true;
    timer ??= window.setTimeout(() => void retryConnection(), retryDelayMs);
  }
  retryDelayMs = Math.min(retryDelayMs * 2, MAX_RETRY_MS);
}

/** The session had ended when the read was refused. */
const isRefused = ({ state }: Query): boolean =>
  state.error !== null && toServiceError(state.error).status === 401;

/**
 * Retries with growing delays while the service does not answer, and at once when the network is back. Everything is read again after
 * an outage, but not after the failure of single calls, which retry themselves: one that always fails beside others that succeed would
 * reload its page for ever and never show its error. What was refused without a session is read again after signing in.
 */
export function startReconnecting(queryClient: QueryClient, reloadRoutes: () => Promise<unknown>): void {
  unreachableSince.subscribe(() => {
    if (unreachableSince.get()) {
      hasFailed = false;
      retryDelayMs = MIN_RETRY_MS;
      timer = window.setTimeout(() => void retryConnection(), retryDelayMs);
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    if (!hasFailed) return;
    void queryClient.invalidateQueries();
    void reloadRoutes();
  });
  repeatedSignIns.subscribe(() => {
    if (queryClient.getQueryCache().findAll({ predicate: isRefused }).length === 0) return;
    void queryClient.invalidateQueries({ predicate: isRefused });
    void reloadRoutes();
  });
  addEventListener('online', () => {
    if (unreachableSince.get()) void retryConnection();
  });
}
