/**
 * Exclusive lock of the folder of the embedded database. PGlite has none, and two processes on one folder silently lose
 * acknowledged rows. The lock is a listening socket: the system closes it when its process ends in any way, kill -9 included.
 * A file with a process id would stay behind, and process ids are reused.
 */
import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorCode } from '../../error-code.ts';

/** Length of a socket path that every supported system accepts. */
const MAX_SOCKET_PATH_LENGTH = 100;

function listen(address: string): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = createServer((socket) => socket.destroy());
  server.once('error', reject);
  server.listen(address, () => resolve(server.unref()));
  return promise;
}

function isListening(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(address);
  socket.once('connect', () => resolve(true));
  socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(String(getErrorCode(error)))));
  return promise.finally(() => socket.destroy());
}

/** A socket file outlives its process: a file on which nobody listens is replaced. */
async function listenOnFile(path: string): Promise<Server> {
  try {
    return await listen(path);
  } catch (error) {
    if (getErrorCode(error) !== 'EADDRINUSE' || (await isListening(path))) throw error;
    await rm(path, { force: true });
    return listen(path);
  }
}

/**
 * The sockets that make up the lock. Linux uses two: the abstract socket excludes the race between checking for a stale file and
 * replacing it, and the file is visible to other containers that share the volume. Other systems use the file only; Windows a
 * named pipe.
 */
function getListeners(folder: string, system: NodeJS.Platform): (() => Promise<Server>)[] {
  const name = `steward-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  if (system === 'win32') return [() => listen(`\\\\.\\pipe\\${name}`)];
  const fileInFolder = join(folder, 'lock');
  const file = fileInFolder.length <= MAX_SOCKET_PATH_LENGTH ? fileInFolder : join(tmpdir(), `${name}.sock`);
  const listenOnFolder = () => listenOnFile(file);
  return system === 'linux' ? [() => listen(`\0${name}`), listenOnFolder] : [listenOnFolder];
}

const closeServer = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

/**
 * Locks the folder for this process until the returned function is called.
 * @throws Error when another process holds the lock
 */
export async function lockFolder(folder: string, system = process.platform): Promise<() => Promise<void>> {
  const servers: Server[] = [];
  const release = async () => {
    await Promise.all(servers.map(closeServer));
  };
  for (const startListener of getListeners(await realpath(folder), system)) {
    try {
      servers.push(await startListener());
    } catch (cause) {
      await release();
      if (getErrorCode(cause) !== 'EADDRINUSE') throw cause;
      throw new Error(
        `Another process is using the data folder ${folder}. Only one may: stop that one, choose another DATA_DIR, ` +
          'or set DATABASE_URL to a PostgreSQL server, which several processes can share.',
        { cause },
      );
    }
  }
  return release;
}
