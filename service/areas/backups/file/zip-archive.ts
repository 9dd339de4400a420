/**
 * Writes a ZIP archive member by member (APPNOTE 6.3.10), so that an archive whose process died is continued after its last finished
 * member. Libraries write the list of the members only for those that they have written themselves.
 */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

const STORED = 0;
const DEFLATED = 8;
/** Sizes follow the data of a member, and names are UTF-8. */
const FLAGS = 0x08_08;
const VERSION = 20;
const ZIP64_VERSION = 45;
const MADE_ON_UNIX = 3 << 8;
/** A file that only its owner can read. */
const ATTRIBUTES = 0o100600 * 0x1_00_00;
/** Value of a 32-bit field whose number is in the ZIP64 fields. */
const IN_ZIP64 = 0xff_ff_ff_ff;
const MAX_ENTRIES = 0xff_ff;
const ZIP64_FIELD_ID = 1;
/** A tenth of the work of the default level 6; CSV becomes a fifth larger. */
const COMPRESSION_LEVEL = 2;

/** A member of the archive as its list describes it. */
export interface ArchiveEntry {
  name: string;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  /** First byte of the member, and the byte after its last. */
  start: number;
  end: number;
  /** CRC-32 of all bytes from `start` to `end`, to recognize a damaged beginning of an archive. */
  rawCrc: number;
}

interface ArchiveOptions {
  /** Appends bytes to the file. */
  write: (bytes: Uint8Array) => Promise<void>;
  /** Modification time of the members. */
  at: Date;
  /** Aborts a member. */
  signal: AbortSignal;
  /** Numbers from which the format needs its 64-bit fields. */
  zip64From?: number;
}

export interface ZipArchive {
  /** Continues after members that are in the file already. */
  restore(entries: readonly ArchiveEntry[]): void;
  /** Writes a member. Resolves with the hash of its content when all of it is written. */
  add(
    name: string,
    source: AsyncIterable<Uint8Array>,
    options?: { compress?: boolean },
  ): Promise<{ entry: ArchiveEntry; sha256: string }>;
  /** Writes the list of the members, which ends the archive. */
  end(): Promise<void>;
}

/** Starts an archive. */
export function createZipArchive({ write, at, signal, zip64From = IN_ZIP64 }: ArchiveOptions): ZipArchive {
  const entries: ArchiveEntry[] = [];
  const time = toDosTime(at);
  let offset = 0;

  async function append(bytes: Uint8Array): Promise<void> {
    await write(bytes);
    offset += bytes.length;
  }

  return {
    restore(restored) {
      entries.push(...restored);
      offset = restored.at(-1)?.end ?? 0;
    },
    async add(name, source, { compress = true } = {}) {
      const start = offset;
      const method = compress ? DEFLATED : STORED;
      const hash = createHash('sha256');
      const header = buildLocalHeader(name, method, time);
      let [crc, size, compressedSize] = [0, 0, 0];
      let rawCrc = crc32(header);
      await append(header);
      const measure = async function* measure(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          crc = crc32(chunk, crc);
          size += chunk.length;
          yield chunk;
        }
      };
      const store = async (chunks: AsyncIterable<Uint8Array>) => {
        for await (const chunk of chunks) {
          rawCrc = crc32(chunk, rawCrc);
          compressedSize += chunk.length;
          await append(chunk);
        }
      };
      if (compress) {
        const deflate = createDeflateRaw({ level: COMPRESSION_LEVEL });
        await pipeline(source, measure, deflate, store, { signal });
      } else await pipeline(source, measure, store, { signal });
      const descriptor = buildDescriptor({ crc, compressedSize, size }, zip64From);
      rawCrc = crc32(descriptor, rawCrc);
      await append(descriptor);
      const entry = { name, method, crc, compressedSize, size, start, end: offset, rawCrc };
      entries.push(entry);
      return { entry, sha256: hash.digest('hex') };
    },
    async end() {
      const start = offset;
      for (const entry of entries) await append(buildListEntry(entry, time, zip64From));
      await append(buildEnd({ start, size: offset - start, count: entries.length }, zip64From));
    },
  };
}

/** Date and time of the format: local, in steps of two seconds, from 1980. */
const toDosTime = (at: Date) => ({
  date: ((Math.max(1980, at.getFullYear()) - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  time: (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
});

type DosTime = ReturnType<typeof toDosTime>;

/** Bytes of numbers of the given lengths, least significant byte first. */
function pack(...fields: readonly (readonly [length: 2 | 4 | 8, value: number])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [length]) => sum + length, 0));
  let at = 0;
  for (const [length, value] of fields) {
    if (length === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, length);
    at += length;
  }
  return bytes;
}

const buildLocalHeader = (name: string, method: number, { date, time }: DosTime): Buffer => {
  const nameBytes = Buffer.from(name);
  const fields = pack(
    [4, 0x04_03_4b_50],
    [2, VERSION],
    [2, FLAGS],
    [2, method],
    [2, time],
    [2, date],
    [4, 0],
    [4, 0],
    [4, 0],
    [2, nameBytes.length],
    [2, 0],
  );
  return Buffer.concat([fields, nameBytes]);
};

function buildDescriptor(
  { crc, compressedSize, size }: Pick<ArchiveEntry, 'crc' | 'compressedSize' | 'size'>,
  zip64From: number,
): Buffer {
  const length = compressedSize >= zip64From || size >= zip64From ? 8 : 4;
  return pack([4, 0x08_07_4b_50], [4, crc], [length, compressedSize], [length, size]);
}

function buildListEntry(
  { name, method, crc, compressedSize, size, start }: ArchiveEntry,
  { date, time }: DosTime,
  zip64From: number,
): Buffer {
  const nameBytes = Buffer.from(name);
  const isLarge = [compressedSize, size, start].some((value) => value >= zip64From);
  const extra = isLarge
    ? pack([2, ZIP64_FIELD_ID], [2, 24], [8, size], [8, compressedSize], [8, start])
    : Buffer.alloc(0);
  const version = isLarge ? ZIP64_VERSION : VERSION;
  const fields = pack(
    [4, 0x02_01_4b_50],
    [2, MADE_ON_UNIX | version],
    [2, version],
    [2, FLAGS],
    [2, method],
    [2, time],
    [2, date],
    [4, crc],
    [4, isLarge ? IN_ZIP64 : compressedSize],
    [4, isLarge ? IN_ZIP64 : size],
    [2, nameBytes.length],
    [2, extra.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, ATTRIBUTES],
    [4, isLarge ? IN_ZIP64 : start],
  );
  return Buffer.concat([fields, nameBytes, extra]);
}

function buildEnd(
  { start, size, count }: { start: number; size: number; count: number },
  zip64From: number,
): Buffer {
  const isLarge = count >= MAX_ENTRIES || start >= zip64From || size >= zip64From;
  const shownCount = isLarge ? MAX_ENTRIES : count;
  const end = pack(
    [4, 0x06_05_4b_50],
    [2, 0],
    [2, 0],
    [2, shownCount],
    [2, shownCount],
    [4, isLarge ? IN_ZIP64 : size],
    [4, isLarge ? IN_ZIP64 : start],
    [2, 0],
  );
  if (!isLarge) return end;
  const zip64End = pack(
    [4, 0x06_06_4b_50],
    [8, 44],
    [2, MADE_ON_UNIX | ZIP64_VERSION],
    [2, ZIP64_VERSION],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, size],
    [8, start],
  );
  const locator = pack([4, 0x07_06_4b_50], [4, 0], [8, start + size], [4, 1]);
  return Buffer.concat([zip64End, locator, end]);
}
