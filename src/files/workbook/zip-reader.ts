import { BlobReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js';

/** An opened archive. */
export interface ZipReaderHandle {
  /** Total unpacked size of all files according to the directory. */
  unpackedBytes: number;
  /** Paths of all files in the order of the directory. */
  paths: readonly string[];
  /** Returns the packed size of a file; 0 if it does not exist. */
  getPackedBytes: (path: string) => number;
  /** Unpacks a file in chunks; `onBytes` receives the packed bytes read so far. False if the file does not exist. */
  read: (
    path: string,
    onChunk: (chunk: Uint8Array) => void,
    onBytes?: (read: number) => void,
  ) => Promise<boolean>;
}

// Uses the central directory only, like spreadsheet programs; local headers may differ.
const READ_OPTIONS = { useWebWorkers: false, checkCrc32: true, strictness: 'tolerant' } as const;

/** Opens an archive; unpacking fails for a file whose size or checksum differs from the directory. */
export async function openZip(file: Blob): Promise<ZipReaderHandle> {
  const entries = await new ZipReader(new BlobReader(file), READ_OPTIONS).getEntries();
  const members = new Map(
    entries.flatMap((entry) => (entry.directory ? [] : [[entry.filename, entry] as const])),
  );
  return {
    unpackedBytes: entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
    paths: entries.flatMap(({ directory, filename }) => (directory ? [] : [filename])),
    getPackedBytes: (path) => members.get(path)?.compressedSize ?? 0,
    async read(path, onChunk, onBytes) {
      const member = members.get(path);
      if (!member) return false;
      // With a separate stream: the library does not report an error thrown for the last chunk.
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      await Promise.all([
        member.getData(writable, { onprogress: (read) => onBytes?.(read) }),
        readable.pipeTo(new WritableStream({ write: onChunk })),
      ]);
      return true;
    },
  };
}
