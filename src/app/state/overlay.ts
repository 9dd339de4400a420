import { createStore } from '../../ui/store.ts';

/** The open overlay: palette or cheat sheet. */
export const overlay = createStore<'palette' | 'keys' | undefined>(undefined);

/** Opens the palette or the cheat sheet. */
export const openOverlay = (which: 'palette' | 'keys'): void => overlay.set(which);
