import type { LucideIcon } from 'lucide-react';

export interface MenuItemData {
  label: string;
  /** A second line: the shortcut in words, what it is for. */
  hint?: string | undefined;
  icon?: LucideIcon | undefined;
  onSelect?: (() => void) | undefined;
  /** An address instead of an act; opens like a link. */
  href?: string | undefined;
  /** Why it is not possible now; shown in place of the hint, and the item stays in reach. */
  disabledReason?: string | undefined;
  danger?: boolean | undefined;
  /** A choice that is on or off: the menu stays open. */
  checked?: boolean | undefined;
  /** A choice of which one of its group is on. */
  oneOf?: boolean | undefined;
  /** A choice that ends the matter; others leave the menu open to be compared. */
  closes?: boolean;
}

/** `'line'` parts groups of items. */
export type MenuItems = readonly (MenuItemData | 'line')[];
