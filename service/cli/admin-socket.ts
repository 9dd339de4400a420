import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ApiError } from '../kernel/http/errors.ts';
import type { Log } from '../kernel/log.ts';
import { CommandError, type CommandContext } from './commands/command.ts';
import { runCommand } from './commands/index.ts';

/**
 * The embedded database has one opener, so beside a running service the commands of the host go through it: JSON
 * lines over a socket in the data folder. Who may enter that folder (0700) may do everything anyway.
 */
export type AdminReply = { result: unknown } | { refused: string } | { failed: string };

// The system's limit for the path of a socket is about 104 bytes.
const LONGEST_PATH = 100;
const LONGEST_LINE = 100_000;
const IDLE_MS = 60_000;

/** Listens for commands as long as the service runs. Does nothing where the folder's path is too long for a socket. */
export async function listenAdminSocket(
  options: CommandContext & { dataDir: string; log: Log },
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(options.dataDir);
  if (path === undefined) {
    options.log.warn(
      { dataDir: options.dataDir },
      'The path of the data folder is too long for the admin socket',
    );
    return { close: async () => undefined };
  }
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket.on('close', () => open.delete(socket)));
    serve(options, socket).catch((error: unknown) => {
      options.log.error({ err: error }, 'The admin socket failed');
      socket.destroy();
    });
  });
  // The database's lock says that this service is alone in the folder: a socket file found there is a dead one's.
  if (process.platform !== 'win32') await rm(path, { force: true });
  await listen(server, path);
  if (process.platform !== 'win32') await chmod(path, 0o600);
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

async function serve({ db, publicUrl, log }: CommandContext & { log: Log }, socket: Socket): Promise<void> {
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on('error', (error) => log.warn({ err: error }, 'The admin socket failed'));
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > LONGEST_LINE) socket.destroy();
  });
  // One command a connection.
  for await (const line of createInterface({ input: socket })) {
    const reply = await answer({ db, publicUrl }, log, line);
    socket.end(`${JSON.stringify(reply)}\n`, () => socket.destroy());
    return;
  }
  socket.destroy();
}

async function answer(context: CommandContext, log: Log, line: string): Promise<AdminReply> {
  try {
    const argv: unknown = JSON.parse(line);
    if (!isWords(argv)) return { refused: 'Not a command' };
    log.info({ command: argv.slice(0, 2) }, 'A command of the host runs');
    return { result: await runCommand(context, argv) };
  } catch (error) {
    if (error instanceof CommandError || error instanceof ApiError) return { refused: error.message };
    log.error({ err: error }, 'A command of the host failed');
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');

/** Asks the service that holds the folder; undefined when none listens there. */
export async function askService(dataDir: string, argv: readonly string[]): Promise<AdminReply | undefined> {
  const path = socketPath(dataDir);
  const socket = path === undefined ? undefined : await dial(path);
  if (!socket) return undefined;
  socket.write(`${JSON.stringify(argv)}\n`);
  for await (const line of createInterface({ input: socket })) {
    const reply: unknown = JSON.parse(line);
    if (isReply(reply)) return reply;
  }
  return { failed: 'The service ended the connection without an answer; look at its log' };
}

const isReply = (value: unknown): value is AdminReply =>
  typeof value === 'object' &&
  value !== null &&
  ('result' in value || 'refused' in value || 'failed' in value);

function dial(path: string): Promise<Socket | undefined> {
  return new Promise((done, reject) => {
    const socket = connect(path, () => done(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // Nothing there, or the file of a service that ended without taking it away.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') done(undefined);
      else reject(error);
    });
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, reject) => {
    server.once('error', reject).listen(path, () => {
      server.off('error', reject);
      done();
    });
  });
}

/** Where the socket is: the shorter way of writing its path; undefined when even that is too long. */
function socketPath(dataDir: string): string | undefined {
  const absolute = resolve(dataDir, 'admin.sock');
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\steward-${createHash('sha256').update(absolute.toLowerCase()).digest('hex').slice(0, 32)}`;
  }
  const near = relative(process.cwd(), join(resolve(dataDir), 'admin.sock'));
  return [absolute, near].find((path) => Buffer.byteLength(path) <= LONGEST_PATH);
}
