/** The thread that owns PGlite: a query blocks its thread, and that must not be the one that serves requests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { PGlite, types } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { toDbError } from './errors.ts';
import type { Message, RawReply, Request } from './pglite-messages.ts';
import { readTemplate } from './pglite-template.ts';

const [, , folder] = process.argv;
const port = parentPort;
if (!port || !folder) throw new Error('This file runs in a worker thread that is given a folder');

// PGlite reads each value with a decoder that takes a leading U+FEFF for a mark of the encoding and drops it: texts come
// back as they were stored (spec 4.4). Nothing else runs in this thread.
globalThis.TextDecoder = class extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ...options, ignoreBOM: true });
  }
};

const say = (message: Message) => port.postMessage(message);

const template = existsSync(join(folder, 'PG_VERSION')) ? undefined : readTemplate();
const db = await PGlite.create({
  dataDir: folder,
  // Extensions must be given at every opening, used or not: indexes made with them cannot be read otherwise.
  extensions: { pg_trgm, btree_gin },
  ...(template && { loadDataDir: template }),
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB', '-c', 'max_wal_size=64MB'],
});
// Values travel as text and are converted in one place for both databases (values.ts).
const asText = (text: string) => text;
db.parsers = Object.fromEntries(Object.keys(types.parsers).map((typeId) => [typeId, asText]));
db.serializers = {};

async function run(sql: string, parameters: (string | null)[]): Promise<RawReply> {
  const result = await db.query<(string | null)[]>(sql, parameters, { rowMode: 'array' });
  return {
    rows: result.rows,
    fields: result.fields,
    command: result.command ?? '',
    affected: result.affectedRows ?? 0,
  };
}

async function answer(request: Request): Promise<void> {
  const { id } = request;
  try {
    if ('close' in request) {
      await db.close();
      say({ id, reply: { rows: [], fields: [], command: 'CLOSE', affected: 0 } });
    } else {
      say({ id, reply: await run(request.sql, request.parameters) });
    }
  } catch (error) {
    const { message, code, constraint, table, column, detail } = toDbError(error);
    say({ id, error: { message, code, constraint, table, column, detail } });
  }
}

port.on('message', (request: Request) => void answer(request));
say({ ready: true });
