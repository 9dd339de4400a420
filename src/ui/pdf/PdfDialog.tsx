import { Maximize, PanelRight, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { formatMoment } from '../../lib/dates/dates.ts';
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
            <div className="pdf-heading">
              <Heading slot="title" level={2} className="pdf-title">
                <bdi>{source.name}</bdi>
              </Heading>
              <VersionLine version={source.version} />
            </div>
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

/** By what a file can be recognized, once its first part is read. */
function VersionLine({ version }: Pick<PdfSource, 'version'>) {
  const [shown, setShown] = useState<Awaited<typeof version>>();
  useEffect(() => {
    let isCurrent = true;
    version?.then(
      (known) => isCurrent && setShown(known),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [version]);
  if (!version) return null;
  return (
    <p className="pdf-version">
      {shown && (
        <>
          {shown.unchangedSince && <>Unchanged since {formatMoment(shown.unchangedSince)}, </>}
          <code>SHA-256 {shown.sha256}</code>
        </>
      )}
    </p>
  );
}
