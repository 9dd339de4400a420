import { useSyncExternalStore } from 'react';

/** Follows a media query, for what differs in markup and not only in style. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}

/** The width under which tables become rows of two lines. */
export const SMALL = '(max-width: 640px)';
