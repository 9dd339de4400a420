import { Maximize, PanelRight, X } from 'lucide-react';
import { useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { IconButton } from '../button/IconButton.tsx';
import { cx } from '../cx.ts';
import type { PdfSource } from './pdf-document.ts';
import { PdfViewer } from './PdfViewer.tsx';
import '../dialog/dialog.css';

interface PdfDialogProps {
  /** Must stay the same object while the dialog is open. */
  source: PdfSource;
  onDownload: () => void;
  onClose: () => void;
}

/** A PDF file in a panel on the right, which can fill the window. Loaded when a file is opened (`PdfPreview`). */
export default function PdfDialog({ source, onDownload, onClose }: PdfDialogProps) {
  const [isWide, setIsWide] = useState(false);
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className={cx('pdf-panel', isWide && 'pdf-panel-wide')}>
        <Dialog className="panel-inner">
          <header className="panel-head">
            <Heading slot="title" level={2} className="pdf-title">
              <bdi>{source.name}</bdi>
            </Heading>
            <div className="pdf-tools">
              <span className="pdf-widen">
                <IconButton
                  label={isWide ? 'Show beside the page' : 'Fill the window'}
                  icon={isWide ? PanelRight : Maximize}
                  onClick={() => setIsWide(!isWide)}
                />
              </span>
              <IconButton label="Close" icon={X} onClick={onClose} />
            </div>
          </header>
          <PdfViewer {...{ source, onDownload }} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
