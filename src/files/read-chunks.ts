/** Reads a file piece by piece, so that its size does not matter. */

/** Called with the number of bytes read so far. */
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
