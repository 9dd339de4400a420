import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';

const PAUSE = 250;

interface Typed<View> {
  /** What the address says; keep it as long as it is the same. */
  said: View;
  /** Puts a view into the address; with `replace` in place of what stands there. */
  write: (view: View, replace: boolean) => Promise<unknown>;
}

/**
 * A view with a search that is being typed: it counts at once and enters the address at the first pause, in place
 * of what stood there. Back leads to the list before the search, not through its letters.
 */
export function useTypedView<View extends { q: string }>({ said, write }: Typed<View>) {
  const router = useRouter();
  const [typing, setTyping] = useState<string>();
  const timer = useRef<number>(undefined);

  // A pending address must not bring somebody back who goes on, nor while the next page is still being read.
  useEffect(() => {
    const forget = () => clearTimeout(timer.current);
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (pathChanged) forget();
    });
    return () => {
      unsubscribe();
      forget();
    };
  }, [router]);

  const view = useMemo(() => (typing === undefined ? said : { ...said, q: typing }), [said, typing]);
  const enter = async (next: View, replace: boolean) => {
    clearTimeout(timer.current);
    await write(next, replace);
    setTyping((now) => (now === next.q ? undefined : now));
  };
  return {
    view,
    show: (next: View, replace = false) => void enter(next, replace),
    type: (q: string) => {
      setTyping(q);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void enter({ ...view, q }, true), PAUSE);
    },
    // Before somebody follows a row: Back must find the search in the address.
    settle: () => void (typing !== undefined && enter(view, true)),
  };
}
