import type { FileValueVm } from '../../../../contract/generated/types.gen.ts';
import { getEntryFile } from '../../../api/generated/sdk/entries.gen.ts';
import type { PdfSource } from '../../../ui/pdf/pdf-document.ts';
import { decodeFileHash } from './load-file.ts';

const CHANGED_MESSAGE = 'The file was replaced or moved after it was opened. Close it and open it again.';

/** A file of an entry, or the one that it had at a time, read by ranges. All of them must be of the version that the first one had. */
export function createEntryFileSource(
  entryId: number,
  fieldId: number,
  { name, size, seqNumber }: FileValueVm,
  asOf?: string,
): PdfSource {
  let version: string | undefined;
  const known = Promise.withResolvers<Awaited<NonNullable<PdfSource['version']>>>();
  return {
    name,
    size,
    version: known.promise,
    async read(begin, end, signal) {
      const { data, response } = await getEntryFile({
        path: { entryId, fieldId: String(fieldId) },
        query: { seqNumber, ...(asOf !== undefined && { asOf }) },
        headers: {
          Range: `bytes=${begin}-${end - 1}`,
          // Another version is then sent completely, with 200 (RFC 9110 13.1.5).
          ...(version !== undefined && { 'If-Range': version }),
        },
        parseAs: 'arrayBuffer',
        signal,
      });
      const etag = response.headers.get('etag') ?? undefined;
      version ??= etag;
      const total = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]);
      if (!(data instanceof ArrayBuffer) || response.status !== 206 || etag !== version || total !== size) {
        throw new Error(CHANGED_MESSAGE);
      }
      const date = response.headers.get('last-modified');
      if (begin === 0)
        known.resolve({
          sha256: decodeFileHash(response),
          unchangedSince: date === null ? undefined : new Date(date),
        });
      return new Uint8Array(data);
    },
  };
}
