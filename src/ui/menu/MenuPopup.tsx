import { Check } from 'lucide-react';
import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Menu, MenuItem, MenuSection, Popover, Separator, Text } from 'react-aria-components';
import { cx } from '../cx.ts';
import type { MenuItemData, MenuItems } from './menu-items.ts';
import './menu.css';

interface MenuPopupProps {
  label: string;
  items: MenuItems;
  anchor: RefObject<HTMLElement | null>;
  align: 'start' | 'end';
  onClose: () => void;
}

/** The open menu; `MenuButton` loads it. */
export default function MenuPopup({ label, items, anchor, align, onClose }: MenuPopupProps) {
  // The focus is back before the act begins: a dialog that it opens gives it back to the button, not to what is gone.
  const leave = (act: () => void) => {
    flushSync(onClose);
    anchor.current?.focus();
    act();
  };
  const icons = items.some((item) => item !== 'line' && item.icon);
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
        onClose={onClose}
      >
        {groupsOf(items).map((group, at) => (
          // Groups have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={at} {...{ group, at, label, leave }} />
        ))}
      </Menu>
    </Popover>
  );
}

/** The items between the lines. */
function groupsOf(items: MenuItems): MenuItemData[][] {
  return items.reduce<MenuItemData[][]>(
    (groups, item) => {
      if (item === 'line') groups.push([]);
      else groups.at(-1)?.push(item);
      return groups;
    },
    [[]],
  );
}

interface Leaving {
  /** Closes the menu, then acts. */
  leave: (act: () => void) => void;
}

interface GroupProps extends Leaving {
  group: MenuItemData[];
  at: number;
  label: string;
}

/** Acts, or choices: where any item is on or off, the group is one of checkboxes, or of radios when one is on. */
function Group({ group, at, label, leave }: GroupProps) {
  const choices = group.some(({ checked }) => checked !== undefined);
  const on = group.flatMap((item) => (item.checked ? [item.label] : []));
  const one = group.every(({ oneOf }) => oneOf);
  return (
    <>
      {at > 0 && <Separator className="menu-line" />}
      <MenuSection
        aria-label={`${label}, part ${at + 1}`}
        selectionMode={choices ? (one ? 'single' : 'multiple') : 'none'}
        selectedKeys={on}
        disallowEmptySelection={one}
      >
        {group.map((item) => (
          <Item key={item.label} item={item} leave={leave} />
        ))}
      </MenuSection>
    </>
  );
}

function Item({ item, leave }: { item: MenuItemData } & Leaving) {
  const { label, icon: Icon, href, disabledReason, danger, checked, closes, onSelect } = item;
  const off = disabledReason !== undefined;
  const ends = checked === undefined || closes === true;
  const hint = disabledReason ?? item.hint;
  return (
    <MenuItem
      id={label}
      textValue={label}
      className={cx('menu-item', danger && 'menu-item-danger', off && 'menu-item-off')}
      href={off ? undefined : href}
      shouldCloseOnSelect={!off && ends}
      onAction={off || !onSelect ? undefined : () => (ends ? leave(onSelect) : onSelect())}
    >
      {Icon && <Icon />}
      <Text slot="label" className="menu-item-label">
        {label} {hint !== undefined && <span className="menu-item-hint">{hint}</span>}
      </Text>
      {checked && <Check className="menu-check" />}
    </MenuItem>
  );
}
