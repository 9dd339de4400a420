import { createHash } from 'node:crypto';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ApiError } from '../kernel/api-error.ts';
import type { Log } from '../kernel/telemetry/log.ts';
import { CommandError, type CommandContext } from './commands/command.ts';
import { runCommand } from './commands/index.ts';

/**
 * Reply to a command that was sent to the running service. Only one process can open the embedded database, so commands on the host
 * are sent to the service as JSON lines over a socket in the data folder. Access to that folder (mode 0700) is the authorization.
 */
export type AdminReply = { result: unknown } | { refused: string } | { failed: string };

// The operating system limits the path of a socket to about 104 bytes; that of a process may be two longer than this one.
const MAX_PATH_BYTES = 100;
const MAX_LINE_BYTES = 100_000;
const IDLE_TIMEOUT_MS = 60_000;

interface SocketOptions extends CommandContext {
  log: Log;
  /** Time that a client has for its command; commands themselves take as long as they need. Tests shorten it. */
  idleTimeoutMs?: number;
}

/** Accepts commands while the service runs. Only logs a warning if the path of the folder is too long for a socket. */
export async function listenAdminSocket(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const path = getSocketPath(options.dataDir);
  if (path === undefined) {
    options.log.warn(
      { dataDir: options.dataDir },
      'Admin socket disabled: the path of the data folder is too long',
    );
    return { close: async () => undefined };
  }
  const openSockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    openSockets.add(socket.on('close', () => openSockets.delete(socket)));
    handleConnection(options, socket).catch((error: unknown) => {
      options.log.error({ err: error }, 'Admin socket failed');
      socket.destroy();
    });
  });
  const releasePath = await takePath(server, path);
  return {
    async close() {
      for (const socket of openSockets) socket.destroy();
      await new Promise((resolveClosed) => server.close(resolveClosed));
      await releasePath();
    },
  };
}

/**
 * Listens on a path of this process, and then renames its file. A file that is replaced by that is stale or, with PostgreSQL, may be that
 * of another process with the same folder: the latest process gets the commands, however many start at once.
 * @returns a function that removes the file unless another process has replaced it
 */
async function takePath(server: Server, path: string): Promise<() => Promise<void>> {
  if (process.platform === 'win32') {
    await listen(server, path);
    return async () => undefined;
  }
  const ownPath = join(dirname(path), `${process.pid}.sock`);
  await rm(ownPath, { force: true });
  await listen(server, ownPath);
  await chmod(ownPath, 0o600);
  const own = await stat(ownPath);
  await rename(ownPath, path);
  return async () => {
    const present = await stat(path).catch(() => undefined);
    if (present?.ino === own.ino) await rm(path, { force: true });
  };
}

async function handleConnection(
  { log, idleTimeoutMs = IDLE_TIMEOUT_MS, ...context }: SocketOptions,
  socket: Socket,
): Promise<void> {
  socket.setTimeout(idleTimeoutMs, () => socket.destroy());
  socket.on('error', (error) => log.warn({ err: error }, 'Admin socket failed'));
  let receivedBytes = 0;
  socket.on('data', (chunk) => {
    receivedBytes += chunk.length;
    if (receivedBytes > MAX_LINE_BYTES) socket.destroy();
  });
  // One command per connection.
  for await (const line of createInterface({ input: socket })) {
    socket.setTimeout(0);
    const reply = await executeCommand(context, log, line);
    socket.end(`${JSON.stringify(reply)}\n`, () => socket.destroy());
    return;
  }
  socket.destroy();
}

async function executeCommand(context: CommandContext, log: Log, line: string): Promise<AdminReply> {
  try {
    const argv: unknown = JSON.parse(line);
    if (!isStringArray(argv)) return { refused: 'Not a command' };
    log.info({ command: argv.slice(0, 2) }, 'Running an admin command');
    return { result: await runCommand(context, argv) };
  } catch (error) {
    if (error instanceof CommandError || error instanceof ApiError) return { refused: error.message };
    log.error({ err: error }, 'Admin command failed');
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');

/** Sends a command to the service that uses the folder; undefined if none is listening. */
export async function sendCommand(dataDir: string, argv: readonly string[]): Promise<AdminReply | undefined> {
  const path = getSocketPath(dataDir);
  const socket = path === undefined ? undefined : await connectTo(path);
  if (!socket) return undefined;
  socket.write(`${JSON.stringify(argv)}\n`);
  for await (const line of createInterface({ input: socket })) {
    const reply: unknown = JSON.parse(line);
    if (isReply(reply)) return reply;
  }
  return { failed: 'The service closed the connection without a reply; see its log' };
}

const isReply = (value: unknown): value is AdminReply =>
  typeof value === 'object' &&
  value !== null &&
  ('result' in value || 'refused' in value || 'failed' in value);

function connectTo(path: string): Promise<Socket | undefined> {
  return new Promise((resolveSocket, reject) => {
    const socket = connect(path, () => resolveSocket(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // No socket, or the stale file of a service that was killed.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolveSocket(undefined);
      else reject(error);
    });
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolveListening, reject) => {
    server.once('error', reject).listen(path, () => {
      server.off('error', reject);
      resolveListening();
    });
  });
}

/** Path of the socket: absolute, or relative if the absolute one is too long; undefined if both are. */
function getSocketPath(dataDir: string): string | undefined {
  const absolute = resolve(dataDir, 'admin.sock');
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\steward-${createHash('sha256').update(absolute.toLowerCase()).digest('hex').slice(0, 32)}`;
  }
  const fromHere = relative(process.cwd(), join(resolve(dataDir), 'admin.sock'));
  return [absolute, fromHere].find((path) => Buffer.byteLength(path) <= MAX_PATH_BYTES);
}
