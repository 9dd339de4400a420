import { createStore } from '../ui/store.ts';
import { fetchWithLimit } from './answer-limit.ts';
import { ServiceError } from './errors.ts';

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

/** Whether the response is a page that the service did not send, such as the sign-in of a proxy or a network: its calls return none. */
const isForeignPage = ({ ok, headers }: Response): boolean =>
  ok && headers.get('content-type')?.startsWith('text/html') === true;

/**
 * `fetch` that records whether the service answers. A call aborted by the page does not count, nor does one that took too
 * long: other calls may still be answered, and reconnecting would send the same slow call over and over.
 * @throws ServiceError 502 for a page that the service did not send
 */
export async function fetchAndTrackReachability(request: Request): Promise<Response> {
  try {
    const response = await fetchWithLimit(request);
    if (isForeignPage(response)) {
      markUnreachable();
      throw new ServiceError(502, 'Something between this browser and the service answered instead');
    }
    if (GATEWAY_ERRORS.has(response.status)) markUnreachable();
    else markReachable();
    return response;
  } catch (error) {
    if (!request.signal.aborted && !(error instanceof ServiceError)) markUnreachable();
    throw error;
  }
}
