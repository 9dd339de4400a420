import { useCallback, useSyncExternalStore } from 'react';

/** The width under which tables become rows of two lines. */
export const SMALL = '(max-width: 640px)';

/** Follows a media query, for what differs in markup and not only in style. */
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
