/**
 * One process at a time may open the embedded database: PGlite has no lock of its own, and two openers lose
 * acknowledged rows in silence. The lock is a listening socket, never a file with a process id: the system drops
 * a socket with its process, however that ends (kill -9 included), while a left-over file has to be guessed about
 * and process ids are reused.
 */
import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The longest path that every system accepts for a socket file. */
const longestSocketPath = 100;

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

function listen(address: string): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = createServer((socket) => socket.destroy());
  server.once('error', reject);
  server.listen(address, () => resolve(server.unref()));
  return promise;
}

function answers(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(address);
  socket.once('connect', () => resolve(true));
  socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(String(codeOf(error)))));
  return promise.finally(() => socket.destroy());
}

/** A socket file outlives its process: one that nobody answers is removed and taken over. */
async function listenOnFile(path: string): Promise<Server> {
  try {
    return await listen(path);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || (await answers(path))) throw error;
    await rm(path, { force: true });
    return listen(path);
  }
}

/**
 * Linux takes two: the abstract socket has no moment between "is it stale?" and "take it over", and the file in
 * the folder is also seen from another container that shares the volume. Elsewhere the file (on Windows a named
 * pipe, which needs no takeover) stands alone.
 */
function guardsOf(folder: string, system: NodeJS.Platform): (() => Promise<Server>)[] {
  const name = `steward-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  if (system === 'win32') return [() => listen(`\\\\.\\pipe\\${name}`)];
  const inside = join(folder, 'lock');
  const file = inside.length <= longestSocketPath ? inside : join(tmpdir(), `${name}.sock`);
  const portable = () => listenOnFile(file);
  return system === 'linux' ? [() => listen(`\0${name}`), portable] : [portable];
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

/** Takes the folder for this process until the returned function is called; refuses when another has it. */
export async function lockFolder(folder: string, system = process.platform): Promise<() => Promise<void>> {
  const taken: Server[] = [];
  const release = async () => {
    await Promise.all(taken.map(closed));
  };
  for (const guard of guardsOf(await realpath(folder), system)) {
    try {
      taken.push(await guard());
    } catch (cause) {
      await release();
      if (codeOf(cause) !== 'EADDRINUSE') throw cause;
      throw new Error(
        `Another process is using the data folder ${folder}. Only one may: stop that one, choose another DATA_DIR, ` +
          'or set DATABASE_URL to a PostgreSQL server, which several processes can share.',
        { cause },
      );
    }
  }
  return release;
}
