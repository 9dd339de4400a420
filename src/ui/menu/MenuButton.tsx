import { Ellipsis } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import type { ButtonLook } from '../button/button-class.ts';
import { later } from '../later.ts';
import type { MenuItems } from './menu-items.ts';

const loadPopup = () => import('./MenuPopup.tsx');
const MenuPopup = later(loadPopup);

interface MenuButtonProps extends ButtonLook {
  /** What the menu is for; the button's name. */
  label: string;
  /** A function is called when the menu opens, so that a table need not build a menu for every row. */
  items: MenuItems | (() => MenuItems);
  /** What the button shows; an icon alone without it. */
  children?: ReactNode;
  icon?: LucideIcon;
  align?: 'start' | 'end';
  disabledReason?: string | undefined;
  tabIndex?: number | undefined;
}

/** A button that opens a menu. The menu's code is fetched when a pointer or the focus comes near. */
export function MenuButton({ label, items, children, icon, align = 'end', ...look }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // The click that a key makes looks like one of a screen reader: react-aria then gives the focus to the menu itself
  // before its first item could have it.
  const keyDown = (event: KeyboardEvent) => {
    if ((event.key !== 'Enter' && event.key !== ' ') || look.disabledReason !== undefined) return;
    event.preventDefault();
    setOpen(true);
  };
  const trigger = {
    ...look,
    ref: button,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': open,
    onPointerEnter: () => void loadPopup(),
    onFocus: () => void loadPopup(),
    onClick: () => setOpen(true),
    onKeyDown: keyDown,
  };
  return (
    <>
      {children === undefined ? (
        <IconButton {...trigger} label={label} icon={icon ?? Ellipsis} />
      ) : (
        <Button {...trigger} icon={icon} aria-label={label}>
          {children}
        </Button>
      )}
      <Suspense>
        {open && (
          <MenuPopup
            label={label}
            items={typeof items === 'function' ? items() : items}
            anchor={button}
            align={align}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}
