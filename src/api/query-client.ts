import { QueryClient } from '@tanstack/react-query';
import { whenIdle } from '../lib/idle.ts';
import { toLostAnswerError } from './answer-limit.ts';
import { NO_ANSWER, toServiceError } from './errors.ts';
import { client } from './generated/client.gen.ts';

client.interceptors.error.use((thrown, response, request) => {
  const error = toServiceError(thrown, response);
  // The answer began as a success and broke off.
  return error.status === 0 && response?.ok && request ? toLostAnswerError(request) : error;
});

/** Whether to retry a read: without a connection or after a 5xx, twice at most. */
function shouldRetry(failures: number, error: unknown): boolean {
  const { status, code } = toServiceError(error);
  // The user was offered to retry while waiting, and another wait would be as long.
  if (code === NO_ANSWER) return false;
  return failures < 2 && (status === 0 || status >= 500);
}

/** Creates the query cache of the console. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // `always`: without a network a call fails visibly instead of being paused.
      queries: {
        networkMode: 'always',
        staleTime: 30_000,
        retry: shouldRetry,
        retryDelay: (n) => 500 * 2 ** n,
      },
      // A write is never retried automatically: the first one may have arrived.
      mutations: { networkMode: 'always', retry: false },
    },
  });

/**
 * Runs a preparing action when no query is being fetched and the browser is idle. The returned function cancels it; a
 * failure is ignored because the same is loaded again when it is needed.
 */
export function runWhenIdle(queries: QueryClient, act: () => Promise<void>): () => void {
  let isCancelled = false;
  whenQuiet(queries, () => {
    if (!isCancelled) act().catch(() => undefined);
  });
  return () => {
    isCancelled = true;
  };
}

/** Calls a function when no query is being fetched and the browser is idle. */
export function whenQuiet(queries: QueryClient, act: () => void): void {
  // A resolved page starts its queries when it renders, so the first check waits for an idle browser.
  whenIdle(() => {
    if (queries.isFetching() === 0) {
      act();
      return;
    }
    const stop = queries.getQueryCache().subscribe(() => {
      if (queries.isFetching() > 0) return;
      stop();
      // Finished queries may enable dependent ones.
      whenQuiet(queries, act);
    });
  });
}
