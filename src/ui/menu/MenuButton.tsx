import { Ellipsis } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import type { ButtonLook } from '../button/button-class.ts';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import { lazyWithPreload } from '../lazy.tsx';
import type { MenuItems } from './menu-items.ts';

const MenuPopup = lazyWithPreload(() => import('./MenuPopup.tsx'));

interface MenuButtonProps extends ButtonLook {
  /** Accessible name of the button and the menu. */
  label: string;
  /** Items, or a function that builds them when the menu opens, so that tables build no menu for every row. */
  items: MenuItems | (() => MenuItems);
  /** Content of the button; an icon button without it. */
  children?: ReactNode;
  icon?: LucideIcon;
  align?: 'start' | 'end';
  disabledReason?: string | undefined;
  tabIndex?: number | undefined;
}

/** Button that opens a menu. The code of the menu is preloaded on hover and focus. */
export function MenuButton({ label, items, children, icon, align = 'end', ...buttonProps }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // A click made by a key looks like one of a screen reader, for which React Aria focuses the menu instead of its first
  // item. Opening on keydown avoids that.
  const keyDown = (event: KeyboardEvent) => {
    if ((event.key !== 'Enter' && event.key !== ' ') || buttonProps.disabledReason !== undefined) return;
    event.preventDefault();
    setOpen(true);
  };
  const trigger = {
    ...buttonProps,
    ref: button,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': open,
    onPointerEnter: MenuPopup.preload,
    onFocus: MenuPopup.preload,
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
