import { createListeners } from '../listeners.ts';

/** Topics of a site to which a commit appended events. */
export interface CommittedEvents {
  siteId: number;
  topics: readonly string[];
}

const listeners = createListeners<CommittedEvents>();

/** Calls `listener` after each commit of this process that published events. Returns a function that ends this. */
export const onEventsCommitted = listeners.add;

/** Tells the listeners of this process that events were committed; other processes ask the database. */
export const notifyEventsCommitted = listeners.call;
