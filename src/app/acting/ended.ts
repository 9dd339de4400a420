import { createStore } from '../../ui/store.ts';

/** Set while it must be said that the service has ended the acting of this page. */
export const actingEnded = createStore(false);
