import type { KeyboardEvent } from 'react';
import type { Onward } from './Editor.tsx';

/** Where a key leads after a value was written, as in a sheet. */
export function onwardOf({ key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): Onward | undefined {
  if (key === 'Enter') return shiftKey ? 'up' : 'down';
  if (key === 'Tab') return shiftKey ? 'left' : 'right';
  return undefined;
}

/** The keys of a cell that is open, for people. */
export const CELL_KEYS: readonly { keys: string; label: string }[] = [
  { keys: 'Enter', label: 'Take it, and go down' },
  { keys: 'Shift+Enter', label: 'Take it, and go up' },
  { keys: 'Tab', label: 'Take it, and go right' },
  { keys: 'Shift+Tab', label: 'Take it, and go left' },
  { keys: 'Alt+Enter', label: 'A new line in a text' },
  { keys: '↑ ↓', label: 'Through what can be chosen' },
  { keys: 'Esc', label: 'Leave it as it was' },
];
