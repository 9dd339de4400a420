import { BlobWriter, createBlobTempStream, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js';

/** A file of an archive that is being written. */
export interface ZipFile {
  /** Takes a text; resolves when there is room for more. */
  write: (text: string) => Promise<void>;
  end: () => Promise<void>;
  /** In bytes, before packing. */
  size: () => number;
}

const WRITING = {
  useWebWorkers: false,
  // A file waits for its size in a blob, which the browser keeps on its disk: not every program takes sizes that stand
  // behind what they measure.
  bufferedWrite: true,
  createTempStream: createBlobTempStream(),
  zip64: false,
  // The first of January 1980: an archive of the same rows has the same bytes.
  rawLastModDate: 0x21_0000,
  extendedTimestamp: false,
};

/** An archive whose files are packed while they are written: in memory is only what is on its way. */
export function createZip(type: string) {
  const encoder = new TextEncoder();
  const zip = new ZipWriter(new BlobWriter(type), WRITING);

  function begin(name: string): ZipFile {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const adding = zip.add(name, readable);
    // It is told where the file ends, and by the stream before.
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
    begin,
    /** A file that is written at once. */
    async add(name: string, text: string): Promise<void> {
      const file = begin(name);
      await file.write(text);
      await file.end();
    },
    end: (): Promise<Blob> => zip.close(),
  };
}
