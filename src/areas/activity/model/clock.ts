import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../../../api/session-query.ts';

/**
 * The service's own time, as far as the session told it: a report that ends now must not end in the service's future,
 * where rows would still come into it.
 */
export function serverNow(client: QueryClient): number {
  const state = client.getQueryState(sessionQuery.queryKey);
  const ahead = state?.data ? Date.parse(state.data.serverTime) - state.dataUpdatedAt : 0;
  return Date.now() + ahead;
}
