import { useEffect, useRef } from 'react';

/** Shows what was added where it stands, also once what tells of it has taken its room; the focus stays. */
export function useShownNew(added: string, reveal: () => void): void {
  const shown = useRef(added);
  useEffect(() => {
    const isMore = added.length > shown.current.length;
    shown.current = added;
    if (!isMore) return undefined;
    const timer = setTimeout(reveal, 50);
    return () => clearTimeout(timer);
    // What is new is all that this is about.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [added]);
}
