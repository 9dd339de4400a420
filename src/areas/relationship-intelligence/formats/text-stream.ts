/** Reading a file piece by piece, so that its size does not matter. */

/** Called with the bytes read so far; returns whether reading goes on. */
export type OnBytes = (bytes: number) => void;

/** Bytes that are read at once. */
const CHUNK_BYTES = 256 * 1024;

interface ChunkReader {
  /** The next bytes; undefined at the end. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  cancel(): Promise<void>;
}

/** Reads into the same memory again and again: browsers collect late what lies outside of the heap. */
function openInto(stream: ReadableStream<Uint8Array<ArrayBuffer>>): ChunkReader {
  const reader = stream.getReader({ mode: 'byob' });
  let memory = new ArrayBuffer(CHUNK_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(memory));
      if (done) return undefined;
      memory = value.buffer;
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

function openReader(stream: ReadableStream<Uint8Array<ArrayBuffer>>): ChunkReader {
  try {
    return openInto(stream);
  } catch {
    // Some browsers read files only into memory of their own.
    const reader = stream.getReader();
    return { read: async () => (await reader.read()).value, cancel: () => reader.cancel() };
  }
}

/**
 * Files that are being read. While a read is pending, nothing else may refer to its reader: Chromium then collects it together with
 * the code that waits for it, and reading never ends.
 */
const openReaders = new Set<ChunkReader>();

/** Yields the chunks of a file. The bytes of each are gone when the next one is read. */
export async function* readChunks(file: Blob, onBytes: OnBytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = openReader(file.stream());
  openReaders.add(reader);
  let read = 0;
  try {
    for (let chunk = await reader.read(); chunk; chunk = await reader.read()) {
      read += chunk.length;
      yield chunk;
      onBytes(read);
    }
  } finally {
    openReaders.delete(reader);
    await reader.cancel().catch(() => undefined);
  }
}

/** Longest line that is read as a whole; the rest of a longer one is dropped. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** Yields the text of a UTF-8 file in blocks that end at a line end, except the last. */
export async function* readLineBlocks(file: Blob, onBytes: OnBytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const chunk of readChunks(file, onBytes)) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) yield text.slice(0, end);
    rest = text.slice(end, end + MAX_LINE_CHARS);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Yields the lines of a UTF-8 file without their ends. */
export async function* readLines(file: Blob, onBytes: OnBytes): AsyncGenerator<string> {
  for await (const block of readLineBlocks(file, onBytes)) {
    const lines = block.split(/\r\n|\n|\r/);
    if (lines.at(-1) === '') lines.pop();
    yield* lines;
  }
}
