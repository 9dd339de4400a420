import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState, useMemo } from 'react';

const DEBOUNCE_MS = 250;

/**
 * Search text that is stored in the address. Typed text applies at once and enters the address after a pause, replacing
 * the current entry; `settle` writes it before a navigation, so that Back restores it.
 */
export function useDebouncedSearch(searchText: string, write: (q: string) => Promise<unknown>) {
  const router = useRouter();
  const [typing, setTyping] = useState<string>();
  const timer = useRef<number>(undefined);

  // A pending write must not undo a navigation.
  useEffect(() => {
    const cancelPending = () => clearTimeout(timer.current);
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (pathChanged) cancelPending();
    });
    return () => {
      unsubscribe();
      cancelPending();
    };
  }, [router]);

  const goTo = async (q: string, there: () => Promise<unknown>) => {
    clearTimeout(timer.current);
    await there();
    setTyping((now) => (now === q ? undefined : now));
  };
  const commit = (q: string) => goTo(q, () => write(q));
  return {
    q: typing ?? searchText,
    type: (q: string) => {
      setTyping(q);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void commit(q), DEBOUNCE_MS);
    },
    // Call before a navigation to a row.
    settle: () => void (typing !== undefined && commit(typing)),
    /** Navigates to an address that already contains the search text and drops the pending one. */
    goTo,
  };
}

interface SearchedViewOptions<View> {
  /** View from the address; keep its identity while it is unchanged. */
  view: View;
  /** Writes a view to the address, as a new entry or replacing the current one. */
  write: (view: View, replace: boolean) => Promise<unknown>;
}

/** View with debounced search text; all other changes enter the address at once. */
export function useDebouncedView<View extends { q: string }>({
  view: committed,
  write,
}: SearchedViewOptions<View>) {
  const { q, type, settle, goTo } = useDebouncedSearch(committed.q, (typed) =>
    write({ ...committed, q: typed }, true),
  );
  const view = useMemo(() => (q === committed.q ? committed : { ...committed, q }), [committed, q]);
  return {
    view,
    type,
    settle,
    show: (next: View, replace = false) => void goTo(next.q, () => write(next, replace)),
  };
}
