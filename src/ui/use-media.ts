import { useCallback, useSyncExternalStore } from 'react';

/** Media query below which tables show rows of two lines. */
export const SMALL_SCREEN = '(max-width: 640px)';

/** Returns whether a media query matches, for differences in markup rather than style. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
