import { Check } from 'lucide-react';
import { useEffect } from 'react';
import type { RefObject } from 'react';
import { Menu, MenuItem, type MenuItemProps, MenuSection } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Text } from 'react-aria-components/Text';
import { cx } from '../cx.ts';
import { preloadConfirmDialog } from '../dialog/ConfirmHost.tsx';
import { closeAndFocus } from './close-and-focus.ts';
import type { MenuItemData, MenuItems } from './menu-items.ts';
import '../style/popover.css';
import './menu.css';

interface MenuPopupProps {
  label: string;
  items: MenuItems;
  anchor: RefObject<HTMLElement | null>;
  align: 'start' | 'end';
  onClose: () => void;
}

/** Open menu of a `MenuButton`, which loads it. */
export default function MenuPopup({ label, items, anchor, align, onClose }: MenuPopupProps) {
  const closeThen = (act: () => void) => {
    closeAndFocus(onClose, anchor);
    act();
  };
  useEffect(() => {
    preloadConfirmDialog();
    for (const item of items) if (item !== 'line') item.preload?.();
    // Once, when the menu opens.
    // oxlint-disable-next-line react/exhaustive-deps -- see above
  }, []);
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
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- an opened menu takes the focus (ARIA menu button pattern)
        autoFocus="first"
        onClose={onClose}
      >
        {groupItems(items).map((group, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- groups are identified by position
          <MenuGroup key={at} {...{ group, at, label, closeThen }} />
        ))}
      </Menu>
    </Popover>
  );
}

const getItemId = ({ id, label }: MenuItemData): string => id ?? label;

/** Splits the items into groups at the lines. */
function groupItems(items: MenuItems): MenuItemData[][] {
  return items.reduce<MenuItemData[][]>(
    (groups, item) => {
      if (item === 'line') groups.push([]);
      else groups.at(-1)?.push(item);
      return groups;
    },
    [[]],
  );
}

interface ClosingProps {
  /** Closes the menu, then runs the action. */
  closeThen: (act: () => void) => void;
}

interface GroupProps extends ClosingProps {
  group: MenuItemData[];
  at: number;
  label: string;
}

/** Group of actions, of checkboxes (any item has `checked`) or of radios (all items have `isRadio`). */
function MenuGroup({ group, at, label, closeThen }: GroupProps) {
  const choices = group.some(({ checked }) => checked !== undefined);
  const on = group.flatMap((item) => (item.checked ? [getItemId(item)] : []));
  const one = group.every(({ isRadio }) => isRadio);
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
          <MenuGroupItem key={getItemId(item)} item={item} closeThen={closeThen} />
        ))}
      </MenuSection>
    </>
  );
}

/** An item that explains why it is disabled keeps the focus, which React Aria takes from items with `isDisabled`. */
const renderDisabled: MenuItemProps['render'] = (props) =>
  'href' in props ? (
    <a {...props} aria-disabled>
      {props.children}
    </a>
  ) : (
    <div {...props} aria-disabled />
  );

function MenuGroupItem({ item, closeThen }: { item: MenuItemData } & ClosingProps) {
  const { label, icon: Icon, href, disabledReason, danger, checked, closesMenu, onSelect } = item;
  const off = disabledReason !== undefined;
  const ends = checked === undefined || closesMenu === true;
  const hint = disabledReason ?? item.hint;
  return (
    <MenuItem
      id={getItemId(item)}
      textValue={label}
      className={cx('menu-item', danger && 'menu-item-danger', off && 'menu-item-off')}
      href={off ? undefined : href}
      {...(off && { render: renderDisabled })}
      shouldCloseOnSelect={!off && ends}
      onAction={off || !onSelect ? undefined : () => (ends ? closeThen(onSelect) : onSelect())}
    >
      {Icon && <Icon />}
      <Text slot="label" className="menu-item-label">
        {label} {hint !== undefined && <span className="menu-item-hint">{hint}</span>}
      </Text>
      {checked && <Check className="menu-check" />}
    </MenuItem>
  );
}
