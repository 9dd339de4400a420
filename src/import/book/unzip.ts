import { crcOf } from '../../export/crc.ts';

const END = 0x06054b50;
const IN_DIRECTORY = 0x02014b50;
const END_SIZE = 22;
const LONGEST_COMMENT = 0xffff;
const HEAD_SIZE = 30;
const STORED = 0;
const DEFLATED = 8;
/** Where a number is this, the real one stands in the extra field of large archives. */
const ELSEWHERE = 0xffff_ffff;
const LARGE = 1;

/** A file of an archive as the directory tells it (APPNOTE.TXT, 4.3.12). */
interface Member {
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

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

const viewOf = async (file: Blob, from: number, to: number): Promise<DataView> =>
  new DataView(await file.slice(from, to).arrayBuffer());

/** The extra field with the numbers that had no room (4.5.3): those that are elsewhere, in this order. */
function fromExtra(view: DataView, from: number, to: number, told: readonly number[]): number[] {
  for (let at = from; at + 4 <= to;) {
    const [id, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    let place = at + 4;
    if (id === LARGE)
      return told.map((number) => {
        if (number !== ELSEWHERE) return number;
        place += 8;
        return Number(view.getBigUint64(place - 8, true));
      });
    at += 4 + length;
  }
  return [...told];
}

function membersIn(view: DataView): Map<string, Member> {
  const members = new Map<string, Member>();
  const decoder = new TextDecoder();
  for (let at = 0; at + 46 <= view.byteLength && view.getUint32(at, true) === IN_DIRECTORY;) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const path = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, name));
    const told = [24, 20, 42].map((place) => view.getUint32(at + place, true));
    const start = at + 46 + name;
    const [size = 0, packed = 0, offset = 0] = fromExtra(view, start, start + extra, told);
    const method = view.getUint16(at + 10, true);
    members.set(path, { method, crc: view.getUint32(at + 16, true), packed, size, offset });
    at = start + extra + comment;
  }
  return members;
}

async function directoryOf(file: Blob): Promise<Map<string, Member>> {
  const from = Math.max(0, file.size - END_SIZE - LONGEST_COMMENT);
  const view = await viewOf(file, from, file.size);
  let end = view.byteLength - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new Error('There is no directory');
  const start = view.getUint32(end + 16, true);
  return membersIn(await viewOf(file, start, Math.min(start + view.getUint32(end + 12, true), file.size)));
}

/** Opens an archive by its directory; its files are unpacked as they are read. */
export async function openZip(file: Blob): Promise<Unzip> {
  const members = await directoryOf(file);
  return {
    size: [...members.values()].reduce((sum, { size }) => sum + size, 0),
    packed: (path) => members.get(path)?.packed ?? 0,
    async read(path, take, onBytes = () => undefined) {
      const member = members.get(path);
      if (!member) return false;
      await unpack(file, member, take, onBytes);
      return true;
    },
  };
}

async function unpack(
  file: Blob,
  { method, crc, packed, size, offset }: Member,
  take: (chunk: Uint8Array) => void,
  onBytes: (read: number) => void,
): Promise<void> {
  if (method !== STORED && method !== DEFLATED) throw new Error('It is packed in another way');
  const head = await viewOf(file, offset, offset + HEAD_SIZE);
  const start = offset + HEAD_SIZE + head.getUint16(26, true) + head.getUint16(28, true);
  let [read, sum, found] = [0, 0, 0];
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, out) {
      read += chunk.length;
      onBytes(read);
      out.enqueue(chunk);
    },
  });
  const raw = file
    .slice(start, start + packed)
    .stream()
    .pipeThrough(counting);
  const plain: ReadableStream<Uint8Array> =
    method === STORED ? raw : raw.pipeThrough(new DecompressionStream('deflate-raw'));
  for (const reader = plain.getReader(); ;) {
    // oxlint-disable-next-line no-await-in-loop -- a stream
    const { done, value } = await reader.read();
    if (done) break;
    found += value.length;
    // A bomb of zeros packs to a thousandth, and may lie about it.
    if (found > size) throw new Error('It unpacks to more than its directory says');
    sum = crcOf(value, sum);
    take(value);
  }
  if (found !== size || sum !== crc) throw new Error('It is damaged');
}
