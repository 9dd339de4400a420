import { useLayoutEffect, useRef } from 'react';

/**
 * Runs once an editor is taken away under whoever writes in it: its page is left, its column hidden, its row goes. The
 * browser tells such an editor nothing of it.
 */
export function useLeaving(leave: () => void): void {
  const latest = useRef(leave);
  useLayoutEffect(() => {
    latest.current = leave;
  });
  useLayoutEffect(() => () => latest.current(), []);
}
