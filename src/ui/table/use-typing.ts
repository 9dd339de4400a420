import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const PAUSE = 250;

/**
 * A search that stands in the address. What is being typed counts at once and enters the address at the first pause,
 * in place of what stood there; `settle` writes it before somebody goes on, so that Back finds it.
 */
export function useTyping(said: string, write: (q: string) => Promise<unknown>) {
  const router = useRouter();
  const [typing, setTyping] = useState<string>();
  const timer = useRef<number>(undefined);

  // A pending address must not bring somebody back who goes on.
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

  const goTo = async (q: string, there: () => Promise<unknown>) => {
    clearTimeout(timer.current);
    await there();
    setTyping((now) => (now === q ? undefined : now));
  };
  const enter = (q: string) => goTo(q, () => write(q));
  return {
    q: typing ?? said,
    type: (q: string) => {
      setTyping(q);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void enter(q), PAUSE);
    },
    // Before somebody follows a row: Back must find the search in the address.
    settle: () => void (typing !== undefined && enter(typing)),
    /** Enters an address that has this search in it already: what is being typed has no more to say. */
    goTo,
  };
}
