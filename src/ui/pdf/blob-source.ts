import type { PdfSource } from './pdf-document.ts';

/** A file that is in memory. */
export const createBlobSource = (name: string, blob: Blob): PdfSource => ({
  name,
  size: blob.size,
  read: async (begin, end) => new Uint8Array(await blob.slice(begin, end).arrayBuffer()),
});
