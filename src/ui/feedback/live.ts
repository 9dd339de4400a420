import { createStore } from '../store.ts';

export const liveStore = createStore<{ text: string; turn: number }>({ text: '', turn: 0 });

/** Says a sentence to a screen reader, politely: a route change, "Copied", the number of results. */
export function announce(text: string) {
  liveStore.set({ text, turn: liveStore.get().turn + 1 });
}
