import { useRef } from 'react';
import type { RefObject } from 'react';

/**
 * Element that receives the focus when the focused button disappears with what it removed, so that keyboard navigation
 * continues from there.
 */
export function useFocusTarget<Target extends HTMLElement>(): {
  targetRef: RefObject<Target | null>;
  focusTarget: () => void;
} {
  const targetRef = useRef<Target>(null);
  return { targetRef, focusTarget: () => void requestAnimationFrame(() => targetRef.current?.focus()) };
}
