import type { LucideIcon } from 'lucide-react';

export interface MenuItemData {
  label: string;
  /** Identifies the item where others can have the same label. */
  id?: string;
  /** Second line with an explanation. */
  hint?: string | undefined;
  icon?: LucideIcon | undefined;
  onSelect?: (() => void) | undefined;
  /** Loads code that `onSelect` needs; called when the menu opens. */
  preload?: (() => void) | undefined;
  /** Address to open instead of `onSelect`. */
  href?: string | undefined;
  /** Why it is not possible; replaces the hint. The item stays focusable. */
  disabledReason?: string | undefined;
  danger?: boolean | undefined;
  /** State of a checkbox or radio item; the menu stays open. */
  checked?: boolean | undefined;
  /** Whether exactly one item of the group is checked. */
  isRadio?: boolean | undefined;
  /** Whether choosing closes the menu; by default it stays open for checkbox and radio items. */
  closesMenu?: boolean;
}

/** Items of a menu; `'line'` separates groups. */
export type MenuItems = readonly (MenuItemData | 'line')[];
