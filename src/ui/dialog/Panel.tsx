import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { IconButton } from '../button/IconButton.tsx';
import './dialog.css';

interface PanelProps {
  title: string;
  onClose: () => void;
  /** Called before closing; returns whether to close. Use `confirmDiscard` when input would be lost. */
  confirmClose?: (() => Promise<boolean>) | undefined;
  /** A `Form`, which has its own body and sticky footer. */
  children: ReactNode;
}

/** Panel on the right over a list, for creating and editing; full screen on a phone. */
export function Panel({ title, onClose, confirmClose, children }: PanelProps) {
  const close = async () => {
    if (!confirmClose || (await confirmClose())) onClose();
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={() => void close()}>
      <Modal className="panel">
        <Dialog className="panel-inner">
          <header className="panel-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton label="Close" icon={X} onClick={() => void close()} />
          </header>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
