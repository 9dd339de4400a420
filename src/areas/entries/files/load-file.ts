import { useEffect, useMemo } from 'react';
import type { FileValueVm } from '../../../../contract/generated/types.gen.ts';
import { getEntryFile } from '../../../api/generated/sdk/entries.gen.ts';

/** A file of an entry. */
interface FileAddress {
  entryId: number;
  fieldId: number;
  seqNumber: number;
  /** The file that the entry had at this time; undefined for the current one. */
  asOf?: string | undefined;
}

const toRequest = ({ entryId, fieldId, seqNumber, asOf }: FileAddress) => ({
  path: { entryId, fieldId: String(fieldId) },
  query: { seqNumber, ...(asOf !== undefined && { asOf }) },
});

/** Loads the content of a file. @throws ServiceError */
export async function loadEntryFile(address: FileAddress, signal?: AbortSignal): Promise<Blob> {
  const { data } = await getEntryFile({
    ...toRequest(address),
    parseAs: 'blob',
    ...(signal && { signal }),
  });
  if (data instanceof Blob) return data;
  throw new TypeError('The service returned no file');
}

/** Address at which the browser shows the content while the component is there; undefined without content. */
export function useObjectUrl(content: Blob | undefined): string | undefined {
  const url = useMemo(() => (content ? URL.createObjectURL(content) : undefined), [content]);
  // Object URLs hold their bytes until they are revoked.
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url]);
  return url;
}

/** SHA-256 of a file in hexadecimal digits, which is its entity tag: one byte of the file is read. */
export async function readEntryFileHash(address: FileAddress, signal: AbortSignal): Promise<string> {
  const { response } = await getEntryFile({
    ...toRequest(address),
    headers: { Range: 'bytes=0-0' },
    parseAs: 'blob',
    signal,
  });
  const tag = response.headers.get('etag')?.replaceAll('"', '') ?? '';
  const text = atob(tag.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (char) => char.codePointAt(0) ?? 0);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Raster formats only: SVG may contain scripts, and the service serves it as a download.
const RASTER_TYPES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
]);
const MAX_IMAGE_BYTES = 20_000_000;
const MAX_TEXT_BYTES = 2_000_000;
/** Names of text files; the service does not detect text by its content. SVG is shown as its source. */
const TEXT_NAME = /\.(txt|text|csv|tsv|md|json|xml|ya?ml|html?|svg|log|ini|sql|eml|ics|vcf)$/i;

/** Whether an image can be shown. */
export const isShownImage = ({ contentType, size }: Pick<FileValueVm, 'contentType' | 'size'>): boolean =>
  RASTER_TYPES.has(contentType) && size <= MAX_IMAGE_BYTES;

/** How the content of a file is shown. The service detects the type by content; a damaged file is reported by the viewer. */
export function getFileKind(file: FileValueVm): 'pdf' | 'image' | 'text' | 'other' {
  if (file.contentType === 'application/pdf') return 'pdf';
  if (isShownImage(file)) return 'image';
  const isText = file.contentType === 'application/octet-stream' && TEXT_NAME.test(file.name);
  return isText && file.size <= MAX_TEXT_BYTES ? 'text' : 'other';
}
