import { X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import type { MenuItemData, MenuItems } from '../menu/menu-items.ts';
import { MenuButton } from '../menu/MenuButton.tsx';
import { SMALL_SCREEN, useMedia } from '../use-media.ts';
import { ToggleChip } from './filter/FilterChips.tsx';
import './bulk.css';

interface BulkBarProps {
  count: number;
  /** Number of matching rows; `onSelectAll` is offered while fewer are selected. */
  total: number;
  onSelectAll?: () => void;
  onClear: () => void;
  /** Showing only the selected rows; the number of them then changes it. */
  only?: { on: boolean; onChange: (on: boolean) => void };
  /** Actions in the bar; in a narrow window they are in its menu. */
  actions: readonly MenuItemData[];
  more?: MenuItems;
}

/** Width of the window below which a bar with its actions would be wider than the page. */
const FOLDED = '(max-width: 1120px)';

const numberFormat = new Intl.NumberFormat();

/** Bar over the end of the table while rows are selected, with their number and the actions. */
export function BulkBar({ count, total, onSelectAll, onClear, only, actions, more = [] }: BulkBarProps) {
  const small = useMedia(SMALL_SCREEN);
  const folded = useMedia(FOLDED);
  const bar = useRef<HTMLElement>(null);
  const inBar = folded ? [] : actions;
  const inMenu = folded ? [...actions, ...(more.length > 0 ? (['line'] as const) : []), ...more] : more;
  if (count === 0) return null;
  const countText = `${numberFormat.format(count)} selected`;
  return (
    <section ref={bar} className="bulk" aria-label="Selection" tabIndex={-1}>
      {only ? (
        <ToggleChip label={small ? countText : `Show only ${countText}`} {...only} />
      ) : (
        <span className="bulk-count num">{countText}</span>
      )}
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
      {inMenu.length > 0 && <MenuButton label={folded ? 'Actions' : 'More actions'} items={inMenu} />}
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
