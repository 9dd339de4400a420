import { Suspense, useEffect, useRef, useState } from 'react';
import type { PointerEvent, ReactNode } from 'react';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { hasImageThumbnail, isPdf } from '../files/file-kind.ts';
import type { HoveredFile } from '../files/FileThumbnail.tsx';
import type { EntryColumn } from '../model/columns.ts';
import type { EntryRows } from '../model/row-windows.ts';
import { getValue, isFile, toItems } from '../model/values.ts';

const FileThumbnail = lazyWithPreload(() => import('../files/FileThumbnail.tsx'));

/** Reading a PDF file is recorded as a download, so it is read for a pointer that rests. */
const REST_MS = 400;
/** Larger PDF files have no thumbnail in the grid. */
const MAX_PDF_BYTES = 50_000_000;

const hasThumbnail = (file: HoveredFile['file']): boolean =>
  isPdf(file) ? file.size <= MAX_PDF_BYTES : hasImageThumbnail(file);

/** Shows a thumbnail of the file over whose name the pointer rests. */
export function useFileThumbnail(
  rows: EntryRows,
  columns: readonly EntryColumn[],
  asOf: string | undefined,
): { thumbnail: ReactNode; onPointerOver: (event: PointerEvent) => void; onPointerLeave: () => void } {
  const [hovered, setHovered] = useState<HoveredFile>();
  const current = useRef<Element | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = (element: Element | null) => {
    if (element === current.current) return;
    current.current = element;
    clearTimeout(timer.current);
    setHovered(undefined);
    if (element) timer.current = setTimeout(() => setHovered(findFile(element)), REST_MS);
  };
  const findFile = (element: Element): HoveredFile | undefined => {
    const cell = element.closest<HTMLElement>('[data-row][data-column]');
    const row = cell && rows.at(Number(cell.dataset['row']));
    const field = cell && columns[Number(cell.dataset['column'])]?.field;
    if (!row || !field || row.EntryId < 0) return undefined;
    const index = [...cell.querySelectorAll('.val-file')].indexOf(element);
    const file = toItems(getValue(row, field)).filter(isFile)[index];
    return file && hasThumbnail(file)
      ? { entryId: row.EntryId, fieldId: field.id, file, asOf, rectangle: element.getBoundingClientRect() }
      : undefined;
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    onPointerOver: ({ target, pointerType }) =>
      show(pointerType === 'mouse' && target instanceof Element ? target.closest('.val-file') : null),
    onPointerLeave: () => show(null),
    thumbnail: hovered && (
      <Suspense>
        <FileThumbnail key={`${hovered.entryId} ${hovered.fieldId} ${hovered.file.id}`} {...hovered} />
      </Suspense>
    ),
  };
}
