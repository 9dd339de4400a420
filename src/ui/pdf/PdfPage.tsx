import { TextLayer } from 'pdfjs-dist';
import type { PDFPageProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import type { CSSProperties } from 'react';
import { Spinner } from '../Spinner.tsx';
import { limitPixelRatio, PIXELS_PER_POINT } from './page-layout.ts';
import type { Rotation, Size } from './page-layout.ts';
import { getPageSize } from './pdf-document.ts';
import type { PdfDocument } from './pdf-document.ts';
import { formatLinkTarget } from './pdf-links.ts';
import type { PdfLink, PdfPageLink } from './pdf-links.ts';

/** The elements of the text layer of a page, one for each text item. */
export type TextElements = readonly HTMLElement[];

interface PdfPageProps {
  document: PdfDocument;
  index: number;
  /** Distance from the top of the content in pixels. */
  top: number;
  /** In pixels, zoomed and rotated. */
  size: Size;
  factor: number;
  rotation: Rotation;
  /** Called with the size at zoom 1, not rotated. */
  onSize: (index: number, size: Size) => void;
  /** Called with the text layer when it is complete, and with undefined when it is removed. */
  onText: (index: number, elements: TextElements | undefined) => void;
  /** Called when the picture is shown, or cannot be. */
  onSettled: () => void;
  onLink: (link: PdfLink) => void;
}

/** One page: its picture, its text for selection and screen readers, and its links. */
export function PdfPage(props: PdfPageProps) {
  const { document: pdf, index, top, size, factor, rotation, onSize, onText, onSettled, onLink } = props;
  const [page, setPage] = useState<PDFPageProxy>();
  const [links, setLinks] = useState<readonly PdfPageLink[]>([]);
  const [state, setState] = useState<'loading' | 'drawn' | 'failed'>('loading');
  const picture = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      const loaded = await pdf.getPage(index);
      if (!isCurrent) return;
      onSize(index, getPageSize(loaded));
      setPage(loaded);
    };
    load().catch(() => isCurrent && setState('failed'));
    return () => {
      isCurrent = false;
    };
  }, [pdf, index, onSize]);

  // The pages that are no longer shown give their memory back.
  useEffect(() => () => void page?.cleanup(), [page]);

  useEffect(() => {
    if (!page) return undefined;
    const canvas = document.createElement('canvas');
    const rotated = page.getViewport({ scale: factor * PIXELS_PER_POINT, rotation: page.rotate + rotation });
    const scale = factor * PIXELS_PER_POINT * limitPixelRatio(rotated, devicePixelRatio);
    const view = { scale, rotation: page.rotate + rotation };
    const { width, height } = page.getViewport(view);
    canvas.width = Math.max(Math.floor(width), 1);
    canvas.height = Math.max(Math.floor(height), 1);
    let isCurrent = true;
    const { drawn, cancel } = pdf.draw(page, canvas, view);
    const show = async () => {
      await drawn;
      if (!isCurrent) return;
      // The picture in the former size stays until then.
      picture.current?.replaceChildren(canvas);
      setState('drawn');
    };
    show().catch(() => isCurrent && setState('failed'));
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [pdf, page, factor, rotation]);

  // The picture comes first: the worker does one thing at a time.
  const isSettled = state !== 'loading';
  useEffect(() => {
    if (isSettled) onSettled();
  }, [isSettled, onSettled]);

  useEffect(() => {
    if (!page || !isSettled) return undefined;
    let isCurrent = true;
    pdf.getLinks(page).then(
      (found) => isCurrent && setLinks(found),
      // The picture shows what can be shown.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [pdf, page, isSettled]);

  useEffect(() => {
    const container = text.current;
    if (!page || !isSettled || !container) return undefined;
    const viewport = page.getViewport({ scale: factor * PIXELS_PER_POINT, rotation: page.rotate + rotation });
    container.replaceChildren();
    const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport });
    pdf.track(layer.render()).then(
      () => onText(index, layer.textDivs),
      () => undefined,
    );
    return () => {
      onText(index, undefined);
      layer.cancel();
    };
  }, [pdf, page, isSettled, index, factor, rotation, onText]);

  const viewport = page?.getViewport({ scale: 1, rotation: page.rotate + rotation });
  const style: CSSProperties & Record<`--${string}`, number> = {
    top,
    ...size,
    '--total-scale-factor': factor * PIXELS_PER_POINT * (page?.userUnit ?? 1),
  };
  return (
    <div
      className="pdf-page"
      // Not a fieldset: it has no controls of a form.
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="group"
      aria-label={`Page ${index + 1} of ${pdf.pageCount}`}
      aria-busy={state === 'loading' || undefined}
      data-page={index + 1}
      style={style}
    >
      <div ref={picture} className="pdf-picture" aria-hidden="true" />
      <div ref={text} className="pdf-text" />
      {viewport &&
        links.map(({ link, corners: [x1, y1, x2, y2] }, at) => (
          <LinkButton
            // Links of a page have no ids and never change.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            link={link}
            onOpen={onLink}
            corners={[
              viewport.convertToViewportPoint(x1, y1) as [number, number],
              viewport.convertToViewportPoint(x2, y2) as [number, number],
            ]}
            page={viewport}
          />
        ))}
      {state === 'loading' && <Spinner />}
      {state === 'failed' && <p className="pdf-page-note">This page could not be drawn.</p>}
    </div>
  );
}

const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;

interface LinkButtonProps {
  link: PdfLink;
  onOpen: (link: PdfLink) => void;
  corners: readonly [from: [number, number], to: [number, number]];
  page: Size;
}

function LinkButton({ link, onOpen, corners: [[x1, y1], [x2, y2]], page }: LinkButtonProps) {
  const name = link.kind === 'internal' ? 'Go to another page' : `Link to ${formatLinkTarget(link.url)}`;
  return (
    <button
      type="button"
      className="pdf-link"
      aria-label={name}
      title={link.kind === 'external' ? link.url : undefined}
      onClick={() => onOpen(link)}
      style={{
        left: percent(Math.min(x1, x2), page.width),
        top: percent(Math.min(y1, y2), page.height),
        width: percent(Math.abs(x2 - x1), page.width),
        height: percent(Math.abs(y2 - y1), page.height),
      }}
    />
  );
}
