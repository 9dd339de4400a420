import { ZipFile } from 'yazl';

/** All archives of the same documents have the same bytes. */
const MTIME = new Date(1980, 0, 1);
/** Bytes that may wait to be written. */
const MAX_PENDING_BYTES = 8_000_000;

/** Packs documents, which are compressed themselves, and passes the bytes of the archive to `write`. */
export function createDocumentZip(write: (chunk: Uint8Array) => Promise<void>): {
  add(name: string, document: Uint8Array): Promise<void>;
  end(): Promise<void>;
} {
  const zip = new ZipFile();
  const pending = { bytes: 0 };
  let onWritten = Promise.withResolvers<void>();
  const written = (async () => {
    for await (const chunk of zip.outputStream) {
      const bytes = chunk as Buffer;
      await write(bytes);
      pending.bytes -= bytes.length;
      onWritten.resolve();
      onWritten = Promise.withResolvers();
    }
  })();
  // The error is thrown by whatever is added next.
  written.catch(() => undefined);
  return {
    async add(name, document) {
      zip.addBuffer(Buffer.from(document.buffer, document.byteOffset, document.byteLength), name, {
        mtime: MTIME,
        compress: false,
      });
      pending.bytes += document.length;
      while (pending.bytes > MAX_PENDING_BYTES) await Promise.race([onWritten.promise, written]);
    },
    async end() {
      zip.end();
      await written;
    },
  };
}
