/** A NATS server with JetStream: the program of the Debian package `nats-server`, on a free port, with a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installDebianPackage } from '../../../scripts/testing/debian.ts';
import { findFreePort } from '../../../scripts/testing/free-port.ts';

const START_TIMEOUT_MS = 20_000;

function findProgram(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  return folders
    .map((folder) => join(folder, 'nats-server'))
    .find((path) => existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** Path of the program; installs the package if it can. Undefined, with a message, when there is none. */
export function ensureNatsServer(): string | undefined {
  const path = findProgram() ?? (installDebianPackage('nats-server') ? findProgram() : undefined);
  if (path === undefined)
    console.error(
      'Tests with a NATS server are skipped: install nats-server (Debian: apt install nats-server).',
    );
  return path;
}

export interface NatsServer {
  port: number;
  /** Ends the program; its streams stay. */
  stop(): Promise<void>;
  /** Starts the program again on the same port with the same streams. */
  start(): Promise<void>;
  /** Ends the program and deletes its folder. */
  remove(): Promise<void>;
}

async function waitUntilOpen(port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'data');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    } finally {
      socket.destroy();
    }
  }
}

/** Starts a server. `config` is added to its configuration file, such as `authorization {…}` or `tls {…}`. */
export async function startNats(program: string, config = ''): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-nats-'));
  const port = await findFreePort();
  const file = join(folder, 'nats.conf');
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(folder, 'streams')}" }\n${config}\n`,
  );
  let child: ReturnType<typeof spawn> | undefined;
  const kill = () => child?.kill('SIGKILL');
  const stop = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    process.off('exit', kill);
    if (!ending || ending.exitCode !== null) return;
    ending.kill('SIGTERM');
    await once(ending, 'exit');
  };
  const start = async (): Promise<void> => {
    child = spawn(program, ['-c', file], { stdio: 'ignore' });
    process.on('exit', kill);
    await waitUntilOpen(port);
  };
  await start();
  return {
    port,
    stop,
    start,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
