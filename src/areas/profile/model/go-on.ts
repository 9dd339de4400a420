import { useRef } from 'react';
import type { RefObject } from 'react';

/**
 * Where the focus goes on when the button that was pressed goes with what it ended: to a part that takes the focus only
 * so that the next one is found from there.
 */
export function useGoOn<Part extends HTMLElement>(): { part: RefObject<Part | null>; goOn: () => void } {
  const part = useRef<Part>(null);
  return { part, goOn: () => void requestAnimationFrame(() => part.current?.focus()) };
}
