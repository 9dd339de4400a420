import type { RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Closes a menu or popover and returns the focus to its button, so that a dialog that opens next restores it there. */
export function closeAndFocus(onClose: () => void, anchor: RefObject<HTMLElement | null>): void {
  flushSync(onClose);
  anchor.current?.focus();
}
