import { BlobWriter, createBlobTempStream, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js';
import type {
  ZipEntryWriter,
  ZipWriter as TextZipWriter,
} from '../../../contract/rules/tables/write-workbook.ts';

const WRITE_OPTIONS = {
  useWebWorkers: false,
  // Buffers each file in a blob until its size is known, because not every program accepts sizes after the data.
  bufferedWrite: true,
  createTempStream: createBlobTempStream(),
  zip64: false,
  // 1980-01-01, so that archives of the same rows have the same bytes.
  rawLastModDate: 0x21_0000,
  extendedTimestamp: false,
};

/** Creates an archive whose files are compressed while they are written, so that little stays in memory. */
export function createZipWriter(type: string): TextZipWriter<Blob> {
  const encoder = new TextEncoder();
  const zip = new ZipWriter(new BlobWriter(type), WRITE_OPTIONS);

  function beginFile(name: string): ZipEntryWriter {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const adding = zip.add(name, readable);
    // The error is reported by `end` and by the stream.
    adding.catch(() => undefined);
    let size = 0;
    return {
      size: () => size,
      write(text) {
        const bytes = encoder.encode(text);
        size += bytes.length;
        return writer.write(bytes);
      },
      async end() {
        await writer.close();
        await adding;
      },
    };
  }
  return {
    begin: beginFile,
    async add(name: string, text: string): Promise<void> {
      const file = beginFile(name);
      await file.write(text);
      await file.end();
    },
    end: (): Promise<Blob> => zip.close(),
  };
}
