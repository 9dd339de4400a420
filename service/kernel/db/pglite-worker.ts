/** The thread that owns PGlite: a query blocks its thread, and that must not be the one that serves requests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { joined, type Message, type Request } from './pglite-messages.ts';
import { readTemplate } from './pglite-template.ts';

const [, , folder] = process.argv;
const port = parentPort;
if (!port || !folder) throw new Error('This file runs in a worker thread that is given a folder');

const say = (message: Message, ...handedOver: ArrayBuffer[]) => port.postMessage(message, handedOver);

/**
 * With a quarter of these buffers a write of ten thousand entries took half as long again: it read from files and wrote to
 * them what it needed a moment later. All of it is taken at the opening. Nothing is replicated from here, and the log's
 * files need no zeros before they are written.
 */
const SETTINGS = [
  'shared_buffers=128MB',
  'max_wal_size=64MB',
  'wal_buffers=16MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'wal_init_zero=off',
];

const template = existsSync(join(folder, 'PG_VERSION')) ? undefined : readTemplate();
const db = await PGlite.create({
  dataDir: folder,
  // Extensions must be given at every opening, used or not: indexes made with them cannot be read otherwise.
  extensions: { pg_trgm, btree_gin },
  ...(template && { loadDataDir: template }),
  startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
});

/** An error message says how bad it is in the part V. */
const PANIC = Buffer.from('VPANIC\0');

/** Whether the messages end in one that the database does not survive. */
function endInPanic(parts: readonly Uint8Array[]): boolean {
  const bytes = Buffer.from(joined(parts).buffer);
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1))
    if (bytes.toString('latin1', at, at + 1) === 'E') return bytes.includes(PANIC, at);
  return false;
}

/** Runs to its end at once: PGlite blocks the thread, so no other statement comes between its messages. */
async function run(id: number, statement: Uint8Array): Promise<void> {
  const parts: Uint8Array[] = [];
  const reply = () => {
    const bytes = joined(parts);
    say({ id, reply: bytes }, bytes.buffer);
  };
  await db.execProtocolRawStream(statement, {
    syncToFs: false,
    onRawData: (given) => {
      // What is given lies in the memory of the database, which is written over.
      const part = Buffer.from(given);
      parts.push(part);
      // PGlite may go on with it for ever: who hears of it ends this thread.
      if (part.includes(PANIC) && endInPanic(parts)) reply();
    },
  });
  reply();
}

async function answer(request: Request): Promise<void> {
  const { id } = request;
  try {
    if ('close' in request) {
      await db.close();
      say({ id, reply: new Uint8Array() });
    } else {
      await run(id, request.statement);
    }
  } catch (error) {
    say({ id, failure: error instanceof Error ? error.message : String(error) });
  }
}

port.on('message', (request: Request) => void answer(request));
say({ ready: true });
