import { useEffect, useRef } from 'react';

/** Returns a function that tells whether the component is still mounted, for use after awaiting an answer. */
export function useMounted(): () => boolean {
  const mounted = useRef(false);
  // Only an effect's cleanup runs when the component unmounts.
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  return () => mounted.current;
}
