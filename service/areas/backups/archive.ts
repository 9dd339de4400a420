import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A tenth of the work of the usual level 6, and files of CSV are a fifth larger. */
const COMPRESSION = 2;

export interface Added {
  size: number;
  sha256: string;
}

/** A ZIP that is written member after member; nothing of it is held. */
export class Archive {
  readonly #zip = new ZipFile();
  readonly #mtime: Date;
  readonly #failure = Promise.withResolvers<never>();

  constructor(mtime: Date) {
    this.#mtime = mtime;
    this.#zip.on('error', (error) => this.#failure.reject(error));
    this.#failure.promise.catch(() => {});
  }

  /** The bytes of the file, for whoever writes them to the disk. */
  get output(): NodeJS.ReadableStream {
    return this.#zip.outputStream;
  }

  /** Adds a member and answers when all of it was taken, with its size and hash. */
  async add(name: string, source: AsyncIterable<Buffer>, { compress = true } = {}): Promise<Added> {
    const hash = createHash('sha256');
    let size = 0;
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    async function* measured() {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
      resolve();
    }
    const stream = Readable.from(measured(), { objectMode: false, highWaterMark: 1 << 16 });
    stream.once('error', (error) => this.#failure.reject(error));
    this.#zip.addReadStream(stream, name, {
      mtime: this.#mtime,
      mode: 0o100600,
      compress,
      ...(compress && { compressionLevel: COMPRESSION }),
    });
    try {
      await Promise.race([taken, this.#failure.promise]);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return { size, sha256: hash.digest('hex') };
  }

  /** Ends the file with its directory. */
  end(): void {
    this.#zip.end();
  }

  /** Gives up: whoever waits for a member learns why. */
  fail(error: unknown): void {
    this.#failure.reject(error);
  }
}
