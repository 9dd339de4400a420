import { createStore } from '../../ui/store.ts';

type Overlay = 'palette' | 'keys' | 'help';

/** The open overlay: palette, cheat sheet or help. */
export const overlay = createStore<Overlay | undefined>(undefined);

/** Opens the palette, the cheat sheet or the help for the page. */
export const openOverlay = (which: Overlay): void => overlay.set(which);
