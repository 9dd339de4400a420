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

  const enter = async (q: string) => {
    clearTimeout(timer.current);
    await write(q);
    setTyping((now) => (now === q ? undefined : now));
  };
  return {
    q: typing ?? said,
    type: (q: string) => {
      setTyping(q);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void enter(q), PAUSE);
    },
    settle: () => void (typing !== undefined && enter(typing)),
  };
}
