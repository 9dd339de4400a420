import type { LucideIcon } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { IconButton } from '../button/IconButton.tsx';
import { later } from '../later.ts';

const loadPopup = () => import('./PopoverCard.tsx');
const PopoverCard = later(loadPopup);

interface PopoverButtonProps {
  label: string;
  icon: LucideIcon;
  children: (close: () => void) => ReactNode;
}

/** An icon that opens a small card beside it: notices, running work, help. */
export function PopoverButton({ label, icon, children }: PopoverButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        icon={icon}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={() => void loadPopup()}
        onFocus={() => void loadPopup()}
        onClick={() => setOpen(true)}
      />
      <Suspense>
        {open && (
          <PopoverCard label={label} anchor={button} onClose={close}>
            {children(close)}
          </PopoverCard>
        )}
      </Suspense>
    </>
  );
}
