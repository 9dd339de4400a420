import { queryOptions } from '@tanstack/react-query';
import { getEntryFile } from '../../api/generated/sdk.gen.ts';
import type { FileValueVm } from '../../api/generated/types.gen.ts';

// Pictures of points; a drawing could hold a program, and the service hands it out as a file only.
const RASTER = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const LARGEST_PREVIEW = 20_000_000;
/** Larger ones are fetched only when somebody wants to see them. */
const LARGEST_THUMBNAIL = 2_000_000;

export const isPictured = ({ contentType, size }: FileValueVm): boolean =>
  RASTER.has(contentType) && size <= LARGEST_PREVIEW;
export const hasThumbnail = (file: FileValueVm): boolean =>
  isPictured(file) && file.size <= LARGEST_THUMBNAIL;

/** The bytes of a file of an entry. */
export async function readFile(
  entryId: number,
  fieldId: number,
  seqNumber: number,
  signal?: AbortSignal,
): Promise<Blob> {
  const { data } = await getEntryFile({
    path: { entryId, fieldId: String(fieldId) },
    query: { seqNumber },
    parseAs: 'blob',
    ...(signal && { signal }),
  });
  if (data instanceof Blob) return data;
  throw new TypeError('The service answered with no file');
}

/** The same, kept while it is shown. What a file holds never changes, so no write makes it stale. */
export const fileQuery = (entryId: number, fieldId: number, file: FileValueVm) =>
  queryOptions({
    queryKey: [{ content: file.id, entryId, fieldId }],
    queryFn: ({ signal }) => readFile(entryId, fieldId, file.seqNumber, signal),
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
