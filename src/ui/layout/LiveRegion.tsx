import { createStore, useStore } from '../store.ts';

const announcementStore = createStore<{ text: string; sequence: number }>({ text: '', sequence: 0 });

/** Announces a text to screen readers politely: a navigation, "Copied", the number of results. */
export function announce(text: string) {
  announcementStore.set({ text, sequence: announcementStore.get().sequence + 1 });
}

/** Polite live region of the page; mounted once. */
export function LiveRegion() {
  const { text, sequence } = useStore(announcementStore);
  return (
    <output data-live-announcer="true" aria-live="polite" className="visually-hidden">
      {/* A new element for each text, so that a repeated text is announced again. */}
      <span key={sequence}>{text}</span>
    </output>
  );
}
