import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Text is collected up to this length before it is written. */
const BUFFER_LENGTH = 1 << 20;

/** A file while it is written. */
export interface HashedFile {
  /** Bytes that were written so far. */
  getBytes: () => number;
  /** Appends to the file. @throws Error of the file system, such as a full disk */
  write: (chunk: string | Uint8Array) => Promise<void>;
  /** Writes what is pending and flushes the file to the disk. */
  end: () => Promise<{ size: number; sha256: Buffer }>;
  close: () => Promise<void>;
}

/** Creates a file that only the owner can read, and hashes what is written. @throws Error when it exists */
export async function createHashedFile(path: string): Promise<HashedFile> {
  const handle = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let pending = '';
  let bytes = 0;
  let isOpen = true;
  async function writeBytes(chunk: Uint8Array): Promise<void> {
    hash.update(chunk);
    for (let offset = 0; offset < chunk.length;) {
      const { bytesWritten } = await handle.write(chunk, offset);
      offset += bytesWritten;
      bytes += bytesWritten;
    }
  }
  async function flush(): Promise<void> {
    const text = pending;
    pending = '';
    if (text !== '') await writeBytes(Buffer.from(text));
  }
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return {
    getBytes: () => bytes,
    async write(chunk: string | Uint8Array): Promise<void> {
      if (typeof chunk === 'string') {
        pending += chunk;
        if (pending.length >= BUFFER_LENGTH) await flush();
      } else {
        await flush();
        await writeBytes(chunk);
      }
    },
    /** Writes what is pending and flushes the file to the disk. */
    async end() {
      await flush();
      await handle.sync();
      await close();
      return { size: bytes, sha256: hash.digest() };
    },
    close,
  };
}
