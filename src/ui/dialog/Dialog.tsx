import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import './dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
  /** The decision: buttons, the primary one last. A form inside brings its own. */
  footer?: ReactNode;
}

/**
 * A decision in the middle of the screen. Its first field has the focus or, without one, its first button: the
 * careful answer, so that Enter by habit removes nothing.
 */
export function Dialog({ title, onClose, role = 'dialog', children, footer }: DialogProps) {
  const inner = useRef<HTMLElement>(null);
  // Not by autoFocus: what takes the focus while it mounts loses it again to a panel under the dialog.
  useEffect(() => inner.current?.querySelector<HTMLElement>('input, footer button')?.focus(), []);
  return (
    <ModalOverlay className="overlay" isOpen isDismissable={role === 'dialog'} onOpenChange={onClose}>
      <Modal className="dialog">
        <AriaDialog ref={inner} className="dialog-inner" role={role}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <div className="dialog-body">{children}</div>
          {footer !== undefined && <footer className="dialog-footer">{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
