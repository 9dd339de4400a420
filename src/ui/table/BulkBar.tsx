import { X } from 'lucide-react';
import { atEnd } from '../at-end.ts';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import type { MenuItemData, MenuItems } from '../menu/menu-items.ts';
import { MenuButton } from '../menu/MenuButton.tsx';
import { SMALL, useMedia } from '../use-media.ts';
import './bulk.css';

interface BulkBarProps {
  count: number;
  /** All that match; offered with `onSelectAll` while fewer are selected. */
  total: number;
  onSelectAll?: () => void;
  onClear: () => void;
  /** The acts that stand in the bar; on a phone they move into its menu. */
  actions: readonly MenuItemData[];
  more?: MenuItems;
}

const numbers = new Intl.NumberFormat();

/** Floats over the end of the table while rows are selected: what is selected and what to do with it. */
export function BulkBar({ count, total, onSelectAll, onClear, actions, more = [] }: BulkBarProps) {
  const small = useMedia(SMALL);
  const inBar = small ? [] : actions;
  const inMenu = small ? [...actions, ...(more.length > 0 ? (['line'] as const) : []), ...more] : more;
  if (count === 0) return null;
  return (
    <section ref={atEnd} className="bulk" aria-label="Selection">
      <span className="bulk-count num">{numbers.format(count)} selected</span>
      {onSelectAll && count < total && (
        <button type="button" className="bulk-all num" onClick={onSelectAll}>
          Select all {numbers.format(total)}
        </button>
      )}
      <span className="bulk-line" />
      {inBar.map(({ label, icon, onSelect, disabledReason }) => (
        <Button key={label} variant="quiet" icon={icon} onClick={onSelect} disabledReason={disabledReason}>
          {label}
        </Button>
      ))}
      {inMenu.length > 0 && <MenuButton label={small ? 'Actions' : 'More actions'} items={inMenu} />}
      <span className="bulk-line" />
      <IconButton label="Clear selection" icon={X} onClick={onClear} />
    </section>
  );
}
