import { useEffect, useMemo } from 'react';
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

/** SHA-256 of a file in hexadecimal digits: one byte of the file is read. */
export async function readEntryFileHash(address: FileAddress, signal: AbortSignal): Promise<string> {
  const { response } = await getEntryFile({
    ...toRequest(address),
    headers: { Range: 'bytes=0-0' },
    parseAs: 'blob',
    signal,
  });
  return decodeFileHash(response);
}

/** SHA-256 of a file of an entry in hexadecimal digits: its entity tag has it. */
export function decodeFileHash({ headers }: Response): string {
  const tag = headers.get('etag')?.replaceAll('"', '') ?? '';
  const text = atob(tag.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (char) => char.codePointAt(0) ?? 0);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
