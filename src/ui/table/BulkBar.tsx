import { X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import type { MenuItemData, MenuItems } from '../menu/menu-items.ts';
import { MenuButton } from '../menu/MenuButton.tsx';
import { SMALL_SCREEN, useMedia } from '../use-media.ts';
import './bulk.css';

interface BulkBarProps {
  count: number;
  /** Number of matching rows; `onSelectAll` is offered while fewer are selected. */
  total: number;
  onSelectAll?: () => void;
  onClear: () => void;
  /** Actions in the bar; on a phone they are in its menu. */
  actions: readonly MenuItemData[];
  more?: MenuItems;
}

const numberFormat = new Intl.NumberFormat();

/** Bar over the end of the table while rows are selected, with their number and the actions. */
export function BulkBar({ count, total, onSelectAll, onClear, actions, more = [] }: BulkBarProps) {
  const small = useMedia(SMALL_SCREEN);
  const bar = useRef<HTMLElement>(null);
  const inBar = small ? [] : actions;
  const inMenu = small ? [...actions, ...(more.length > 0 ? (['line'] as const) : []), ...more] : more;
  if (count === 0) return null;
  return (
    <section ref={bar} className="bulk" aria-label="Selection" tabIndex={-1}>
      <span className="bulk-count num">{numberFormat.format(count)} selected</span>
      {onSelectAll && count < total && (
        <button
          type="button"
          className="bulk-all num"
          onClick={() => {
            // The button is gone when all are selected.
            bar.current?.focus();
            onSelectAll();
          }}
        >
          Select all {numberFormat.format(total)}
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
      <IconButton
        label="Clear selection"
        icon={X}
        onClick={() => {
          onClear();
          // The button is gone with the selection; the focus moves to the rows.
          document.querySelector<HTMLElement>('tr[data-index][tabindex="0"]')?.focus();
        }}
      />
    </section>
  );
}
