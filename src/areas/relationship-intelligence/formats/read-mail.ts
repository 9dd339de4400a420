/** Mailboxes: mbox files, single mails, and archives of them. Only headers are kept. */
import { BlobReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { readChunks } from '../../../files/read-chunks.ts';
import type { OnBytes } from '../../../files/read-chunks.ts';
import { parseDate } from './items.ts';
import type { ReadRow } from './items.ts';
import { findHeaderEnd, MAX_HEADER_BYTES, parseMailHeader } from './mail-header.ts';

/** The line before each mail: `From`, the envelope sender, the date of delivery in UTC (RFC 4155). */
const SEPARATOR = /^From .*?(\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2}.*?\d{4})\s*$/;

/** Each byte as one character, so that positions in the text are positions in the bytes. */
const bytesAsText = new TextDecoder('latin1');

function parseMail(bytes: Uint8Array, row: number, delivered?: number): ReadRow {
  try {
    return parseMailHeader(bytes, row, delivered);
  } catch (thrown) {
    return {
      row,
      reason: `The header cannot be read: ${thrown instanceof Error ? thrown.message : 'unknown'}`,
    };
  }
}

const HEADER_TOO_LONG = 'The header is longer than 8 MB';
const LF = 10;
const CR = 13;
/** Bytes of "\nFrom " and of the longest separator line that is recognized. */
const MAX_SEPARATOR_BYTES = 1000;

/** Bytes that are joined with those that follow, in memory that is used again. */
interface ByteBuffer {
  add(chunk: Uint8Array): void;
  /** Forgets the bytes before an index. */
  dropBefore(at: number): void;
  /** The bytes until the next change. */
  readonly bytes: Uint8Array;
}

function createByteBuffer(start = new Uint8Array()): ByteBuffer {
  let memory = start.slice();
  let length = start.length;
  return {
    add(chunk) {
      if (memory.length < length + chunk.length) {
        const larger = new Uint8Array(2 * (length + chunk.length));
        larger.set(memory.subarray(0, length));
        memory = larger;
      }
      memory.set(chunk, length);
      length += chunk.length;
    },
    dropBefore(at) {
      memory.copyWithin(0, at, length);
      length -= at;
    },
    get bytes() {
      return memory.subarray(0, length);
    },
  };
}

/**
 * Reads an mbox file. A mail begins at a separator line that follows an empty line or the start of the file; its header is parsed and
 * its body skipped, so that memory does not grow with the file.
 */
export async function* readMbox(file: Blob, onBytes: OnBytes): AsyncGenerator<ReadRow> {
  let row = 0;
  // What is left of the bytes before. It starts with an empty line, because the first separator follows none.
  const pending = createByteBuffer(Uint8Array.of(LF, LF));
  let isInHeader = false;
  let delivered: number | undefined;

  function* scan(isLast: boolean): Generator<ReadRow> {
    const { bytes } = pending;
    const text = bytesAsText.decode(bytes);
    let at = 0;
    for (;;) {
      if (isInHeader) {
        const isEmpty = bytes[at] === LF || bytes[at] === CR;
        const end = isEmpty ? at : findHeaderEnd(bytes, at);
        const isTooLong = end === undefined && bytes.length - at > MAX_HEADER_BYTES;
        // Without an empty line the header ends with the file.
        if (end === undefined && !isLast && !isTooLong) break;
        yield isTooLong
          ? { row, reason: HEADER_TOO_LONG }
          : parseMail(bytes.subarray(at, end), row, delivered);
        isInHeader = false;
        // From the line end before the empty line: the next separator may follow it at once.
        at = Math.max(at, (end ?? bytes.length) - 1);
      }
      const separator = findSeparator(text, at);
      if (separator === undefined) {
        at = isLast ? bytes.length : Math.max(at, bytes.length - MAX_SEPARATOR_BYTES);
        break;
      }
      const lineEnd = text.indexOf('\n', separator);
      if (lineEnd < 0 && !isLast && bytes.length - separator < MAX_SEPARATOR_BYTES) {
        at = Math.max(at, separator - 3);
        break;
      }
      const match = SEPARATOR.exec(text.slice(separator, lineEnd < 0 ? undefined : lineEnd));
      at = match && lineEnd >= 0 ? lineEnd + 1 : separator + 5;
      if (!match) continue;
      row += 1;
      delivered = parseDate(match[1] ?? '').date;
      isInHeader = true;
    }
    pending.dropBefore(at);
  }

  for await (const chunk of readChunks(file, onBytes)) {
    pending.add(chunk);
    yield* scan(false);
  }
  yield* scan(true);
  if (row === 0) yield { row: 1, reason: 'The file has no mails' };
}

/** Index of the next "From " at the start of a line after an empty one. */
function findSeparator(text: string, from: number): number | undefined {
  for (let at = text.indexOf('\nFrom ', from); at >= 0; at = text.indexOf('\nFrom ', at + 1)) {
    const before = text[at - 1] === '\r' ? at - 2 : at - 1;
    if (text[before] === '\n' || before < 0) return at + 1;
  }
  return undefined;
}

/** Reads the header of one mail and nothing behind it. */
export async function readEml(file: Blob, row: number): Promise<ReadRow> {
  const header = createByteBuffer();
  for await (const chunk of readChunks(file, () => undefined)) {
    const searchedTo = Math.max(0, header.bytes.length - 2);
    header.add(chunk);
    const { bytes } = header;
    const end = findHeaderEnd(bytes, searchedTo);
    if (end !== undefined) return parseMail(bytes.subarray(0, end), row);
    if (bytes.length > MAX_HEADER_BYTES) return { row, reason: HEADER_TOO_LONG };
  }
  return header.bytes.length === 0 ? { row, reason: 'The file is empty' } : parseMail(header.bytes, row);
}

class HeaderComplete extends Error {}

/** Reads the mails of a ZIP archive: each is unpacked only to the end of its header. Other files are passed over. */
export async function* readZip(file: Blob, onBytes: OnBytes): AsyncGenerator<ReadRow> {
  const zip = new ZipReader(new BlobReader(file), { useWebWorkers: false, strictness: 'tolerant' } as const);
  let row = 0;
  let packed = 0;
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      packed += entry.compressedSize;
      if (entry.directory || !/\.eml$/i.test(entry.filename)) continue;
      row += 1;
      if (entry.encrypted) yield { row, reason: 'The file is encrypted', label: entry.filename };
      else yield await readMember(entry, row);
      onBytes(packed);
    }
  } catch (thrown) {
    yield {
      row: row + 1,
      reason: `The archive cannot be read: ${thrown instanceof Error ? thrown.message : ''}`,
    };
    return;
  }
  if (row === 0) yield { row: 1, reason: 'The archive has no mails (.eml)' };
}

interface Member {
  filename: string;
  getData: (writable: WritableStream<Uint8Array>) => Promise<unknown>;
}

async function readMember(entry: Member, row: number): Promise<ReadRow> {
  const header = createByteBuffer();
  let end: number | undefined;
  const writable = new WritableStream<Uint8Array>({
    write(chunk) {
      const searchedTo = Math.max(0, header.bytes.length - 2);
      header.add(chunk);
      end = findHeaderEnd(header.bytes, searchedTo);
      if (end !== undefined || header.bytes.length > MAX_HEADER_BYTES) throw new HeaderComplete();
    },
  });
  try {
    await entry.getData(writable);
  } catch (thrown) {
    if (end === undefined && header.bytes.length <= MAX_HEADER_BYTES)
      return {
        row,
        reason: `The file cannot be unpacked: ${thrown instanceof Error ? thrown.message : 'unknown'}`,
        label: entry.filename,
      };
  }
  if (end === undefined && header.bytes.length > MAX_HEADER_BYTES)
    return { row, reason: HEADER_TOO_LONG, label: entry.filename };
  return parseMail(header.bytes.subarray(0, end), row);
}
