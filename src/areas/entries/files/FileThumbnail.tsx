import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { FileValueVm } from '../../../../contract/generated/types.gen.ts';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { getFileKind } from './file-kind.ts';
import { loadEntryFile, useObjectUrl } from './load-file.ts';
import { createEntryFileSource } from './pdf-source.ts';
import './files.css';

const PdfThumbnail = lazyWithPreload(() => import('../../../ui/pdf/PdfThumbnail.tsx'));

/** Longest side in CSS pixels. */
const MAX_SIDE = 240;
const GAP = 4;

/** A file under the pointer. */
export interface HoveredFile {
  entryId: number;
  fieldId: number;
  file: FileValueVm;
  asOf: string | undefined;
  /** The element that names the file, in the window. */
  rectangle: Pick<DOMRect, 'left' | 'top' | 'bottom'>;
}

/** An image or the first page of a PDF file beside its name. Decorative: the page of the entry shows the file. */
export default function FileThumbnail({ entryId, fieldId, file, asOf, rectangle }: HoveredFile) {
  const [source] = useState(() => createEntryFileSource(entryId, fieldId, file, asOf));
  const isBelow = rectangle.bottom + GAP + MAX_SIDE < innerHeight;
  return (
    <div
      className="fl-hover"
      aria-hidden
      style={{
        left: Math.min(rectangle.left, innerWidth - MAX_SIDE - 20),
        ...(isBelow ? { top: rectangle.bottom + GAP } : { bottom: innerHeight - rectangle.top + GAP }),
      }}
    >
      {getFileKind(file) === 'pdf' ? (
        <Suspense fallback="Loading">
          <PdfThumbnail source={source} maxSide={MAX_SIDE} />
        </Suspense>
      ) : (
        <ImageThumbnail {...{ entryId, fieldId, file, asOf }} />
      )}
    </div>
  );
}

function ImageThumbnail({ entryId, fieldId, file, asOf }: Omit<HoveredFile, 'rectangle'>) {
  const { data, isError } = useQuery({
    queryKey: [{ thumbnailOf: file.id, entryId, fieldId }],
    queryFn: ({ signal }) => loadEntryFile({ entryId, fieldId, seqNumber: file.seqNumber, asOf }, signal),
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  const url = useObjectUrl(data);
  if (isError) return 'No preview';
  return url === undefined ? 'Loading' : <img src={url} alt="" />;
}
