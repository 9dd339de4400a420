/** Runs the service as a process on a free port with its own storage. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { CERTIFICATE_FILE } from '../../service/testing/servers/agent-clients.ts';
import type { Person } from './data/people.ts';
import { createStorage } from './storage.ts';

/** Initial state of an installation. */
export interface Installation {
  sample: boolean;
  /** First administrator; without one the service prints the one-time link of the first start. */
  administrator: Person | undefined;
  /** Further environment variables, as in the README's table. */
  env?: Record<string, string>;
}

export interface Service {
  url: string;
  /** Environment variables of the storage. */
  storageEnv: Readonly<Record<string, string>>;
  /** Returns the output on stdout and stderr so far. */
  output(): string;
  /** Creates the one-time link for the first administrator, as on the host of a service without a terminal. */
  link(): Promise<string>;
  start(): Promise<void>;
  /** Stops the service with a signal; returns the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Runs an administration command on the host; returns its JSON. */
  admin(...args: string[]): Promise<unknown>;
  /** Stops the service and removes its data. */
  remove(): Promise<void>;
}

/** Generous, because several workers start services at once on a loaded machine. */
const START_TIMEOUT_MS = 75_000;

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}

/** Starts a new installation, or a copy of a stopped one, and waits until it is ready. */
export async function startService(installation: Installation, original?: Service): Promise<Service> {
  const storage = await createStorage(original?.storageEnv);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const { administrator, sample } = installation;
  const env = {
    ...process.env,
    ...storage.env,
    PORT: String(port),
    STEWARD_SAMPLE: sample ? 'on' : 'off',
    // Identity providers of tests are on this machine.
    STEWARD_EGRESS_ALLOW: '127.0.0.1',
    NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE,
    ...(administrator && {
      STEWARD_ADMIN_EMAIL: administrator.email,
      STEWARD_ADMIN_PASSWORD: administrator.password,
    }),
    ...installation.env,
  };
  let output = '';
  let child: ChildProcess | undefined;

  const appendOutput = (text: unknown) => {
    output += String(text);
  };
  const start = async () => {
    const started = spawn(process.execPath, ['service/main.ts'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    started.stdout.on('data', appendOutput);
    started.stderr.on('data', appendOutput);
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isReady(url))) {
      if (started.exitCode !== null || Date.now() > deadline)
        throw new Error(`The service did not start:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  const remove = async () => {
    await stop();
    await storage.remove();
  };
  const admin = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['service/cli/steward.ts', '--json', ...args],
      { env },
    );
    return JSON.parse(stdout);
  };
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url,
    storageEnv: storage.env,
    output: () => output,
    async link() {
      return z.object({ link: z.string() }).parse(await admin('site', 'administrator-link')).link;
    },
    start,
    stop,
    admin,
    remove,
  };
}
