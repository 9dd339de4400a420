import { BlobReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js';

export interface Unzip {
  /** What the directory says that all files unpack to. */
  size: number;
  /** How many bytes of the archive a file takes; 0 where there is none of this name. */
  packed: (path: string) => number;
  /** Unpacks a file, piece by piece. `onBytes` is told how much of it was read. */
  read: (
    path: string,
    take: (chunk: Uint8Array) => void,
    onBytes?: (read: number) => void,
  ) => Promise<boolean>;
}

// By the directory alone, as programs for sheets do: what stands once more before each file may differ.
const READING = { useWebWorkers: false, checkCrc32: true, strictness: 'tolerant' } as const;

/** Opens an archive by its directory; a file that unpacks to something else than this says is refused on the way. */
export async function openZip(file: Blob): Promise<Unzip> {
  const entries = await new ZipReader(new BlobReader(file), READING).getEntries();
  const members = new Map(
    entries.flatMap((entry) => (entry.directory ? [] : [[entry.filename, entry] as const])),
  );
  return {
    size: entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
    packed: (path) => members.get(path)?.compressedSize ?? 0,
    async read(path, take, onBytes) {
      const member = members.get(path);
      if (!member) return false;
      // A stream of its own: the library does not see what the last piece is refused with.
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      await Promise.all([
        member.getData(writable, { onprogress: (read) => onBytes?.(read) }),
        readable.pipeTo(new WritableStream({ write: take })),
      ]);
      return true;
    },
  };
}
