import { createStore } from '../ui/store.ts';
import { fetchWithLimit } from './answer-limit.ts';
import { isUnreachable, NO_ANSWER, ServiceError } from './errors.ts';

/** Time since which the service does not answer; undefined while it answers. */
export const unreachableSince = createStore<Date | undefined>(undefined);

// Statuses of a proxy in front of a service that is down.
const GATEWAY_ERRORS = new Set([502, 503, 504]);

const markUnreachable = () => {
  if (!unreachableSince.get()) unreachableSince.set(new Date());
};
const markReachable = () => {
  if (unreachableSince.get()) unreachableSince.set(undefined);
};

/**
 * `fetch` that records whether the service answers. A call aborted by the page does not count, nor does one that took too
 * long: other calls may still be answered, and reconnecting would send the same slow call over and over.
 * @throws ServiceError of `fetchWithLimit`; one with a status of a proxy means that the service cannot be reached
 */
export async function fetchAndTrackReachability(request: Request): Promise<Response> {
  try {
    const response = await fetchWithLimit(request);
    if (GATEWAY_ERRORS.has(response.status)) markUnreachable();
    else markReachable();
    return response;
  } catch (error) {
    const isUnanswered = error instanceof ServiceError && isUnreachable(error) && error.code !== NO_ANSWER;
    if (!request.signal.aborted && isUnanswered) markUnreachable();
    throw error;
  }
}
