/** Topics of a site to which a commit appended events. */
export interface CommittedEvents {
  siteId: number;
  topics: readonly string[];
}

type Listener = (events: CommittedEvents) => void;

const listeners = new Set<Listener>();

/** Calls `listener` after each commit of this process that published events. Returns a function that ends this. */
export function onEventsCommitted(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells the listeners of this process that events were committed; other processes ask the database. */
export function notifyEventsCommitted(events: CommittedEvents): void {
  for (const listener of listeners) listener(events);
}
