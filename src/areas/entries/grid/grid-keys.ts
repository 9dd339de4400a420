import type { KeyboardEvent } from 'react';

/** What a key does in the grid. */
type Act =
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
  | 'let-go'
  | 'resize'
  | 'place';

interface GridKey {
  /** Undefined where the browser makes something else of it: a clipboard, a menu. */
  act: Act | undefined;
  /** The presses, as `chordOf` writes them. */
  chords: readonly string[];
  /** The same for people. */
  keys: string;
  label: string;
}

const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
const SIDES = ['ArrowLeft', 'ArrowRight'];
const PAGES = ['PageUp', 'PageDown'];
const ENDS = ['Home', 'End'];
const held = (keys: readonly string[], ...mods: readonly string[]) =>
  keys.map((key) => [...mods, key].join('+'));

/** The keys of the grid: what is not here does nothing there. */
export const GRID_KEYS: readonly GridKey[] = [
  { act: 'move', chords: ARROWS, keys: '↑ ↓ ← →', label: 'To the next cell' },
  { act: 'move', chords: held(ARROWS, 'mod'), keys: 'mod+↑ ↓ ← →', label: 'To the end of the column or row' },
  { act: 'move', chords: PAGES, keys: 'PageUp PageDown', label: 'A screen up and down' },
  { act: 'move', chords: ENDS, keys: 'Home End', label: 'First and last cell of the row' },
  { act: 'move', chords: held(ENDS, 'mod'), keys: 'mod+Home End', label: 'First and last cell of all' },
  {
    act: 'extend',
    chords: [...held([...ARROWS, ...PAGES, ...ENDS], 'shift'), ...held([...ARROWS, ...ENDS], 'mod', 'shift')],
    keys: 'Shift',
    label: 'With these: select up to there',
  },
  { act: 'row', chords: ['shift+Space'], keys: 'Shift+Space', label: 'Select the row' },
  { act: 'column', chords: ['mod+Space'], keys: 'mod+Space', label: 'Select the column' },
  { act: 'all', chords: ['mod+a'], keys: 'mod+a', label: 'Select everything' },
  { act: 'let-go', chords: ['Escape'], keys: 'Esc', label: 'Select one cell again' },
  { act: 'open', chords: ['Enter'], keys: 'Enter', label: 'Edit the cell; open the entry from its name' },
  { act: 'write', chords: ['F2'], keys: 'F2', label: 'Edit the cell, its name too' },
  { act: undefined, chords: [], keys: 'A…Z', label: 'Write over the cell' },
  { act: 'clear', chords: ['Delete', 'Backspace'], keys: 'Delete', label: 'Empty the cells' },
  {
    act: 'delete',
    chords: ['mod+Delete', 'mod+Backspace'],
    keys: 'mod+Delete',
    label: 'Delete the entries, or keep them',
  },
  { act: 'undo', chords: ['mod+z'], keys: 'mod+z', label: 'Undo a step' },
  { act: 'redo', chords: ['mod+y', 'mod+shift+z'], keys: 'mod+y', label: 'Do it again' },
  { act: undefined, chords: ['mod+c'], keys: 'mod+c', label: 'Copy the cells' },
  { act: undefined, chords: ['mod+v'], keys: 'mod+v', label: 'Paste a block' },
  { act: undefined, chords: ['shift+F10'], keys: 'Shift+F10', label: 'Menu of the cell' },
  {
    act: 'resize',
    chords: held(SIDES, 'alt'),
    keys: 'Alt+← →',
    label: 'On a column’s head: narrower, wider',
  },
  {
    act: 'place',
    chords: held(SIDES, 'alt', 'shift'),
    keys: 'Alt+Shift+← →',
    label: 'On a column’s head: move it',
  },
];

export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** A press of keys in one way: "mod+shift+z". */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
  const name = key.trim() === '' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  const mods = { mod: ctrlKey || metaKey, alt: altKey, shift: shiftKey };
  return [
    ...Object.entries(mods)
      .filter(([, isHeld]) => isHeld)
      .map(([mod]) => mod),
    name,
  ].join('+');
}

const acts = new Map(GRID_KEYS.flatMap(({ act, chords }) => chords.map((chord) => [chord, act] as const)));

/** What a press does in the grid; undefined for one that is none of its keys. */
export const actOf = (press: Press): Act | undefined => acts.get(chordOf(press));
