import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { atEnd } from '../at-end.ts';
import { IconButton } from '../button/IconButton.tsx';
import './dialog.css';

interface PanelProps {
  title: string;
  onClose: () => void;
  /** Asked before the panel closes; `confirmDiscard` when something typed would be lost. */
  mayClose?: (() => Promise<boolean>) | undefined;
  /** A Form: it brings its own body and sticky footer. */
  children: ReactNode;
}

/** The right-hand panel over a list, where things are created and edited; the whole screen on a phone. */
export function Panel({ title, onClose, mayClose, children }: PanelProps) {
  const close = async () => {
    if (!mayClose || (await mayClose())) onClose();
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={() => void close()}>
      <Modal className="panel">
        <Dialog ref={atEnd} className="panel-inner">
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
