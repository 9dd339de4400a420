import type { ReactNode, RefObject } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import '../style/popover.css';

interface PopoverCardProps {
  label: string;
  anchor: RefObject<Element | null>;
  align?: 'start' | 'end';
  onClose: () => void;
  children: ReactNode;
}

/** Popover with any content, loaded by its trigger. */
export default function PopoverCard({ label, anchor, align = 'end', onClose, children }: PopoverCardProps) {
  return (
    <Popover
      className="popover"
      triggerRef={anchor}
      placement={`bottom ${align}`}
      offset={4}
      isOpen
      onOpenChange={onClose}
    >
      <Dialog className="popover-inner" aria-label={label}>
        {children}
      </Dialog>
    </Popover>
  );
}
