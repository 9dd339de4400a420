import { useEffect, useRef } from 'react';
import type { PdfDocument, PdfSource } from './pdf-document.ts';
import { usePdf } from './use-pdf.ts';

interface PdfThumbnailProps {
  /** Must stay the same object. */
  source: PdfSource;
  /** Longest side in CSS pixels. */
  maxSide: number;
}

/** The first page of a PDF file, small. Files that need a password or are damaged have none. */
export default function PdfThumbnail({ source, maxSide }: PdfThumbnailProps) {
  const state = usePdf(source);
  if (state.phase === 'open') return <FirstPage document={state.document} maxSide={maxSide} />;
  return <span>{TEXTS[state.phase]}</span>;
}

const TEXTS = { opening: 'Loading', password: 'Needs a password', failed: 'No preview' };

function FirstPage({ document, maxSide }: { document: PdfDocument; maxSide: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = document.firstPageSize;
  const scale = maxSide / Math.max(width, height);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    let cancel: (() => void) | undefined;
    let isCurrent = true;
    const draw = async () => {
      const page = await document.getPage(0);
      if (!isCurrent) return;
      const points = page.getViewport({ scale: 1 });
      const pixels = (maxSide * devicePixelRatio) / Math.max(points.width, points.height);
      element.width = Math.round(points.width * pixels);
      element.height = Math.round(points.height * pixels);
      const drawing = document.draw(page, element, { scale: pixels, rotation: page.rotate });
      cancel = drawing.cancel;
      await drawing.drawn;
    };
    // A failure leaves the page blank; the viewer says what is wrong with the file.
    draw().catch(() => undefined);
    return () => {
      isCurrent = false;
      cancel?.();
    };
  }, [document, maxSide]);
  return <canvas ref={canvas} style={{ width: width * scale, height: height * scale }} />;
}
