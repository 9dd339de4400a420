import { useShortcut } from '../../shell/shortcuts.ts';
import type { Shortcut } from '../../shell/shortcuts.ts';
import { CELL_KEYS } from '../editing/cell-keys.ts';
import { GRID_KEYS } from './grid-keys.ts';

const KEYS: readonly Shortcut[] = [
  ...GRID_KEYS.map(({ keys, label }) => ({ keys, label, group: 'In the grid' })),
  ...CELL_KEYS.map((key) => ({ ...key, group: 'In a cell that is open' })),
];
// A phone has rows of one cell.
const NO_KEYS: readonly Shortcut[] = [];

/** Puts the keys of the grid on the cheat sheet, while it is on the page. */
export const useGridKeys = (small: boolean): void => useShortcut(small ? NO_KEYS : KEYS);
