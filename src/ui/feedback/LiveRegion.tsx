import { useStore } from '../store.ts';
import { liveStore } from './live.ts';

/** The one polite live region of the page; the shell mounts it once. */
export function LiveRegion() {
  const { text, turn } = useStore(liveStore);
  return (
    <output data-live-announcer="true" aria-live="polite" className="visually-hidden">
      {/* A new element for each sentence: the same words said twice are announced twice. */}
      <span key={turn}>{text}</span>
    </output>
  );
}
