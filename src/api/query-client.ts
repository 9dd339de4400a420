import { QueryClient } from '@tanstack/react-query';
import { whenIdle } from '../ui/later.ts';
import { toServiceError } from './errors.ts';
import { client } from './generated/client.gen.ts';

client.interceptors.error.use((error, response) => toServiceError(error, response));

/** Another try may help where no answer came or the service failed; never where it refused, or lacks the operation. */
function mayRetry(failures: number, thrown: unknown): boolean {
  const { status } = toServiceError(thrown);
  return failures < 2 && (status === 0 || (status >= 500 && status !== 501));
}

/** The cache of everything read from the service. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // `always`: a call without network fails visibly instead of waiting in silence.
      queries: { networkMode: 'always', staleTime: 30_000, retry: mayRetry, retryDelay: (n) => 500 * 2 ** n },
      // A write is never sent twice by itself: nobody knows whether the first one arrived.
      mutations: { networkMode: 'always', retry: false },
    },
  });

/** Does it once the page reads nothing from the service and has nothing more urgent to do. */
export function whenQuiet(queries: QueryClient, act: () => void): void {
  // A page that has just been resolved begins to read where it is drawn.
  whenIdle(() => {
    if (queries.isFetching() === 0) {
      act();
      return;
    }
    const stop = queries.getQueryCache().subscribe(() => {
      if (queries.isFetching() > 0) return;
      stop();
      // What has come may be what the next question needs.
      whenQuiet(queries, act);
    });
  });
}
