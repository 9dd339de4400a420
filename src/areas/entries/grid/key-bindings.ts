import type { KeyboardEvent } from 'react';

/** Action of a key in the grid. */
type GridAction =
  | 'move'
  | 'extend'
  | 'row'
  | 'column'
  | 'all'
  | 'write'
  | 'open'
  | 'clear'
  | 'delete'
  | 'undo'
  | 'redo'
  | 'clear-selection'
  | 'resize'
  | 'place';

interface KeyBinding {
  /** Undefined for keys handled by browser events: clipboard, context menu. */
  action: GridAction | undefined;
  /** Key combinations in the form of `toChord`. */
  chords: readonly string[];
  /** The keys as displayed in the list of shortcuts. */
  keys: string;
  label: string;
}

const ARROW_KEYS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
const SIDE_KEYS = ['ArrowLeft', 'ArrowRight'];
const PAGE_KEYS = ['PageUp', 'PageDown'];
const END_KEYS = ['Home', 'End'];
const withModifiers = (keys: readonly string[], ...modifiers: readonly string[]) =>
  keys.map((key) => [...modifiers, key].join('+'));

/** All keys of the grid; other keys do nothing. */
export const KEY_BINDINGS: readonly KeyBinding[] = [
  { action: 'move', chords: ARROW_KEYS, keys: '↑ ↓ ← →', label: 'Next cell' },
  {
    action: 'move',
    chords: withModifiers(ARROW_KEYS, 'mod'),
    keys: 'mod+↑ ↓ ← →',
    label: 'End of the column or row',
  },
  { action: 'move', chords: PAGE_KEYS, keys: 'PageUp PageDown', label: 'Page up and down' },
  { action: 'move', chords: END_KEYS, keys: 'Home End', label: 'First and last cell of the row' },
  {
    action: 'move',
    chords: withModifiers(END_KEYS, 'mod'),
    keys: 'mod+Home End',
    label: 'First and last cell of the grid',
  },
  {
    action: 'extend',
    chords: [
      ...withModifiers([...ARROW_KEYS, ...PAGE_KEYS, ...END_KEYS], 'shift'),
      ...withModifiers([...ARROW_KEYS, ...END_KEYS], 'mod', 'shift'),
    ],
    keys: 'Shift',
    label: 'With these keys: extend the selection',
  },
  { action: 'row', chords: ['shift+Space'], keys: 'Shift+Space', label: 'Select the row' },
  { action: 'column', chords: ['mod+Space'], keys: 'mod+Space', label: 'Select the column' },
  { action: 'all', chords: ['mod+a'], keys: 'mod+a', label: 'Select all' },
  { action: 'clear-selection', chords: ['Escape'], keys: 'Esc', label: 'Clear the selection' },
  { action: 'open', chords: ['Enter'], keys: 'Enter', label: 'Edit the cell; on a name, open the entry' },
  { action: 'write', chords: ['F2'], keys: 'F2', label: 'Edit the cell, including names' },
  { action: undefined, chords: [], keys: 'A…Z', label: 'Replace the value' },
  { action: 'clear', chords: ['Delete', 'Backspace'], keys: 'Delete', label: 'Clear the cells' },
  {
    action: 'delete',
    chords: ['mod+Delete', 'mod+Backspace'],
    keys: 'mod+Delete',
    label: 'Delete or keep the entries',
  },
  { action: 'undo', chords: ['mod+z'], keys: 'mod+z', label: 'Undo' },
  { action: 'redo', chords: ['mod+y', 'mod+shift+z'], keys: 'mod+y', label: 'Redo' },
  { action: undefined, chords: ['mod+c'], keys: 'mod+c', label: 'Copy the cells' },
  { action: undefined, chords: ['mod+v'], keys: 'mod+v', label: 'Paste cells' },
  { action: undefined, chords: ['shift+F10'], keys: 'Shift+F10', label: 'Menu of the cell' },
  {
    action: 'resize',
    chords: withModifiers(SIDE_KEYS, 'alt'),
    keys: 'Alt+← →',
    label: 'On a column header: resize',
  },
  {
    action: 'place',
    chords: withModifiers(SIDE_KEYS, 'alt', 'shift'),
    keys: 'Alt+Shift+← →',
    label: 'On a column header: move',
  },
];

export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Normalizes a key press: "mod+shift+z". */
export function toChord({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  const name = key.trim() === '' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  const modifiers = { mod: ctrlKey || metaKey, alt: altKey, shift: shiftKey };
  return [
    ...Object.entries(modifiers)
      .filter(([, isPressed]) => isPressed)
      .map(([modifier]) => modifier),
    name,
  ].join('+');
}

const actions = new Map(
  KEY_BINDINGS.flatMap(({ action, chords }) => chords.map((chord) => [chord, action] as const)),
);

/** Action of a key press in the grid; undefined for other keys. */
export const getAction = (press: KeyPress): GridAction | undefined => actions.get(toChord(press));
