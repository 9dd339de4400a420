/** Worker thread that owns PGlite: a statement blocks its thread, which must not be the one that serves requests. */
import { existsSync, fsyncSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { DatabaseError } from 'pg-protocol';
import { Parser } from 'pg-protocol/dist/parser.js';
import { concatBytes, type WorkerMessage, type WorkerRequest } from './pglite-messages.ts';
import { readTemplate } from './pglite-template.ts';

const [, , folder, durability] = process.argv;
const syncsToDisk = durability === 'fsync';
const port = parentPort;
if (!port || !folder)
  throw new Error('pglite-worker.ts runs in a worker thread with the folder as its argument');

const send = (message: WorkerMessage, ...transfer: ArrayBuffer[]) => port.postMessage(message, transfer);

/**
 * Server settings. The memory of shared buffers is taken when the database opens, also by a small site. With 32 MB a write of 10,000
 * entries takes 1.5 times as long as with 128, because pages are written to files and read back; with 64 MB it takes 1.25 times as long.
 * Without replication the write-ahead log can be minimal, and its files need not be filled with zeros.
 */
const SETTINGS = [
  'shared_buffers=64MB',
  'max_wal_size=64MB',
  'wal_buffers=4MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'wal_init_zero=off',
  // The files are those of the host: only fsync of them has an equivalent in SyncingNodeFS.
  ...(syncsToDisk ? ['fsync=on', 'wal_sync_method=fsync'] : []),
];

/** EIO of WASI: PostgreSQL stops with a PANIC and recovers from the log when it is opened again. */
const INPUT_OUTPUT_ERROR = 29;

/** Waits until a file of Emscripten's NODEFS is on the disk. @returns 0 or an error number */
function syncFile({ nfd }: { nfd: number }): number {
  try {
    fsyncSync(nfd);
    return 0;
  } catch {
    return INPUT_OUTPUT_ERROR;
  }
}

/** The file system of PGlite, which ignores fsync, with an fsync that waits for the disk. */
class SyncingNodeFS extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun: typeof emscriptenOpts.preRun = [
      ({ NODEFS }) => Object.assign(Reflect.get(NODEFS, 'stream_ops'), { fsync: syncFile }),
      ...(emscriptenOpts.preRun ?? []),
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

const template = existsSync(join(folder, 'PG_VERSION')) ? undefined : readTemplate();
/** Errors of the file system of Emscripten are no errors of JavaScript, and a thread passes only those on. */
function toError(error: unknown): Error {
  if (error instanceof Error) return error;
  return new Error(`The file system failed: ${JSON.stringify(error)}`);
}

const db = await PGlite.create({
  ...(syncsToDisk ? { fs: new SyncingNodeFS(folder) } : { dataDir: folder }),
  // Extensions must be passed at every open: indexes that use them cannot be read otherwise.
  extensions: { pg_trgm, btree_gin },
  ...(template && { loadDataDir: template }),
  startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
}).catch((error: unknown) => {
  throw toError(error);
});

/** Field V (severity, never translated) of an error message after which PostgreSQL cannot go on. */
const PANIC = Buffer.from('VPANIC\0');

/** Whether the reply holds a PANIC error; false where the bytes stand in a value of a row. */
function hasPanic(chunks: readonly Uint8Array[]): boolean {
  let found = false;
  new Parser().parse(Buffer.from(concatBytes(chunks).buffer), (message) => {
    if (message instanceof DatabaseError && message.severity === 'PANIC') found = true;
  });
  return found;
}

/** Runs one statement to its end. PGlite blocks the thread, so no other statement comes between its messages. */
async function run(id: number, statement: Uint8Array): Promise<void> {
  const chunks: Uint8Array[] = [];
  const sendReply = () => {
    const reply = concatBytes(chunks);
    send({ id, reply }, reply.buffer);
  };
  await db.execProtocolRawStream(statement, {
    syncToFs: false,
    onRawData: (data) => {
      // A copy: the data lie in PGlite's memory, which it overwrites.
      const chunk = Buffer.from(data);
      chunks.push(chunk);
      // After a PANIC PGlite may never return; the session kills this thread when it reads the error.
      if (chunk.includes(PANIC) && hasPanic(chunks)) sendReply();
    },
  });
  sendReply();
}

async function handle(request: WorkerRequest): Promise<void> {
  const { id } = request;
  try {
    if ('close' in request) {
      await db.close();
      send({ id, reply: new Uint8Array() });
    } else {
      await run(id, request.statement);
    }
  } catch (error) {
    send({ id, failure: toError(error).message });
  }
}

port.on('message', (request: WorkerRequest) => void handle(request));
send({ ready: true });
