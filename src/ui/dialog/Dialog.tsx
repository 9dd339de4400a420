import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import './dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
  /** Buttons, the primary one last; a form has its own. */
  footer?: ReactNode;
}

/**
 * Modal dialog in the middle of the screen. Focuses the field in `data-initial-focus`, else its first field or, without one, its
 * first button, which is the safe choice, so that a habitual Enter deletes nothing.
 */
export function Dialog({ title, onClose, role = 'dialog', children, footer }: DialogProps) {
  const inner = useRef<HTMLElement>(null);
  // Not `autoFocus`: focus taken during mounting is lost to a panel under the dialog.
  useEffect(() => {
    const find = (selector: string) => inner.current?.querySelector<HTMLElement>(selector);
    (find('[data-initial-focus] input') ?? find('input, footer button'))?.focus();
  }, []);
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
