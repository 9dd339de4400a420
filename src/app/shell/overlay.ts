import { createStore } from '../../ui/store.ts';

/** What is open over the page: the palette or the cheat sheet. */
export const overlay = createStore<'palette' | 'keys' | undefined>(undefined);

/** Opens the palette or the cheat sheet from anywhere. */
export const openOverlay = (which: 'palette' | 'keys'): void => overlay.set(which);
