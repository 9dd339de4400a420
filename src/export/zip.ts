import { crcOf } from './crc.ts';

/** What stands before a file and once more in the directory at the end (APPNOTE.TXT, 4.3.7 and 4.3.12). */
interface Head {
  name: Uint8Array<ArrayBuffer>;
  crc: number;
  packed: number;
  size: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const DEFLATE = 8;
// The first of January 1980: an archive of the same rows has the same bytes.
const DAY_ONE = 0x21;

/** Numbers of two or of four bytes, the least first. */
function numbers(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of values) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

const facts = ({ name, crc, packed, size }: Head) =>
  [
    [2, VERSION],
    [2, 0],
    [2, DEFLATE],
    [2, 0],
    [2, DAY_ONE],
    [4, crc],
    [4, packed],
    [4, size],
    [2, name.length],
    [2, 0],
  ] as const;

const central = (head: Head, offset: number) =>
  numbers([4, CENTRAL], [2, VERSION], ...facts(head), [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);

/** A file of an archive that is being written. */
export interface ZipFile {
  /** Takes a text; resolves when there is room for more. */
  write: (text: string) => Promise<void>;
  end: () => Promise<void>;
  /** In bytes, before packing. */
  size: () => number;
}

// An archive without the extensions for more has no room for greater numbers.
const MOST = 2 ** 32 - 1;
// What is a blob is no longer in memory: the browser keeps it on its disk.
const PART = 1024 * 1024;

/** Packs chunks as they come, into blobs. */
function createPacker() {
  const stream = new CompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const blobs: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [held, packed] = [0, 0];
  const put = () => {
    blobs.push(new Blob(chunks));
    [chunks, held] = [[], 0];
  };
  const taking = stream.readable.pipeTo(
    new WritableStream<Uint8Array>({
      write(chunk) {
        chunks.push(new Uint8Array(chunk));
        held += chunk.length;
        packed += chunk.length;
        if (held > PART) put();
      },
    }),
  );
  return {
    write: (bytes: Uint8Array<ArrayBuffer>) => writer.write(bytes),
    async end() {
      await writer.close();
      await taking;
      put();
      return { blobs, packed };
    },
  };
}

/** An archive whose files are packed while they are written: in memory is only what is on its way. */
export function createZip() {
  const encoder = new TextEncoder();
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;

  const begin = (name: string): ZipFile => {
    const packer = createPacker();
    let [crc, size] = [0, 0];
    return {
      size: () => size,
      write(text) {
        const bytes = encoder.encode(text);
        crc = crcOf(bytes, crc);
        size += bytes.length;
        return packer.write(bytes);
      },
      async end() {
        const { blobs, packed } = await packer.end();
        const head: Head = { name: encoder.encode(name), crc, packed, size };
        const local = numbers([4, LOCAL], ...facts(head));
        directory.push(central(head, offset), head.name);
        parts.push(local, head.name, ...blobs);
        offset += local.length + head.name.length + packed;
        if (size > MOST || offset > MOST) throw new Error('The file would be larger than 4 GB');
      },
    };
  };
  return {
    begin,
    /** A file that is written at once. */
    async add(name: string, text: string): Promise<void> {
      const file = begin(name);
      await file.write(text);
      await file.end();
    },
    end(type: string): Blob {
      const files = directory.length / 2;
      const length = directory.reduce((sum, part) => sum + part.length, 0);
      const end = numbers([4, END], [2, 0], [2, 0], [2, files], [2, files], [4, length], [4, offset], [2, 0]);
      return new Blob([...parts, ...directory, end], { type });
    },
  };
}
