import { createStore } from '../ui/store.ts';

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

/** `fetch` that records whether the service answers; a call aborted by the page does not count. */
export async function fetchAndTrackReachability(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (GATEWAY_ERRORS.has(response.status)) markUnreachable();
    else markReachable();
    return response;
  } catch (error) {
    if (!request.signal.aborted) markUnreachable();
    throw error;
  }
}
