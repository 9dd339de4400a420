import { Check } from 'lucide-react';
import type { RefObject } from 'react';
import { Menu, MenuItem, Popover, Separator, Text } from 'react-aria-components';
import { cx } from '../cx.ts';
import type { MenuItemData, MenuItems } from './menu-items.ts';
import './menu.css';

interface MenuPopupProps {
  label: string;
  items: MenuItems;
  anchor: RefObject<Element | null>;
  align: 'start' | 'end';
  onClose: () => void;
}

/** The open menu; `MenuButton` loads it. */
export default function MenuPopup({ label, items, anchor, align, onClose }: MenuPopupProps) {
  const checked = items.flatMap((item) => (item !== 'line' && item.checked ? [item.label] : []));
  const icons = items.some((item) => item !== 'line' && item.icon);
  const choices = items.some((item) => item !== 'line' && item.checked !== undefined);
  return (
    <Popover
      className="menu-popover"
      aria-label={label}
      triggerRef={anchor}
      placement={`bottom ${align}`}
      offset={4}
      isOpen
      onOpenChange={onClose}
    >
      <Menu
        className={cx('menu', icons && 'menu-icons')}
        aria-label={label}
        // A menu that opens takes the focus; that is what it was opened for.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus="first"
        selectionMode={choices ? 'multiple' : 'none'}
        selectedKeys={checked}
        onClose={onClose}
      >
        {items.map((item, at) =>
          item === 'line' ? (
            // Lines have no identity but their place.
            // oxlint-disable-next-line react/no-array-index-key
            <Separator key={`line ${at}`} className="menu-line" />
          ) : (
            <Item key={item.label} item={item} />
          ),
        )}
      </Menu>
    </Popover>
  );
}

function Item({ item }: { item: MenuItemData }) {
  const { label, icon: Icon, href, disabledReason, danger, checked } = item;
  const off = disabledReason !== undefined;
  const hint = disabledReason ?? item.hint;
  return (
    <MenuItem
      id={label}
      textValue={label}
      className={cx('menu-item', danger && 'menu-item-danger', off && 'menu-item-off')}
      href={off ? undefined : href}
      shouldCloseOnSelect={!off && checked === undefined}
      onAction={off ? undefined : item.onSelect}
    >
      {Icon && <Icon />}
      <Text slot="label" className="menu-item-label">
        {label} {hint !== undefined && <span className="menu-item-hint">{hint}</span>}
      </Text>
      {checked && <Check className="menu-check" />}
    </MenuItem>
  );
}
