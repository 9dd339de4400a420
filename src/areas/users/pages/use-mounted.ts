import { useEffect, useRef } from 'react';

/** Whether the component is still there, asked when an answer comes: whoever has gone on is not brought back. */
export function useMounted(): () => boolean {
  const mounted = useRef(false);
  // Nothing but an effect is told that the component goes.
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  return () => mounted.current;
}
