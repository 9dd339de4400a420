import { createStore } from '../ui/store.ts';

/** Since when no answer comes from the service; undefined while it answers. */
export const unreachableSince = createStore<Date | undefined>(undefined);

// What a proxy in front says when the service behind it is away.
const AWAY = new Set([502, 503, 504]);

const lost = () => {
  if (!unreachableSince.get()) unreachableSince.set(new Date());
};
const found = () => {
  if (unreachableSince.get()) unreachableSince.set(undefined);
};

/** `fetch` that notes whether the service answers. A call the page itself stopped says nothing about that. */
export async function reach(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    if (AWAY.has(answer.status)) lost();
    else found();
    return answer;
  } catch (fault) {
    if (!request.signal.aborted) lost();
    throw fault;
  }
}
