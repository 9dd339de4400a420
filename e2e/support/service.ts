/** The real service as a process of its own, on a free port, over an empty database. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';
import type { Person } from './people.ts';
import { newPlace } from './place.ts';

/** How an installation begins. */
export interface Installation {
  sample: boolean;
  /** Without one the service prints the one-time link of the first start. */
  administrator: Person | undefined;
  /** Further settings, as in the README's table. */
  env?: Record<string, string>;
}

export interface Service {
  url: string;
  /** Where its data are, as the service was told. */
  place: Readonly<Record<string, string>>;
  /** Everything written to stdout and stderr until now. */
  output(): string;
  /** The one-time link for the first administrator. */
  link(): string;
  start(): Promise<void>;
  /** Ends it as an operator does; `kill -9` with SIGKILL. Returns the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** A command of administration on the host; returns its JSON. */
  admin(...args: string[]): Promise<unknown>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Two workers start services at once, and somebody else may need the machine. */
const START_MS = 75_000;

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}

/** A new installation, started and ready; or a copy of one that is stopped. */
export async function newService(installation: Installation, original?: Service): Promise<Service> {
  const place = await newPlace(original?.place);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { administrator, sample } = installation;
  const env = {
    ...process.env,
    ...place.env,
    PORT: String(port),
    STEWARD_SAMPLE: sample ? 'on' : 'off',
    ...(administrator && {
      STEWARD_ADMIN_EMAIL: administrator.email,
      STEWARD_ADMIN_PASSWORD: administrator.password,
    }),
    ...installation.env,
  };
  let output = '';
  let child: ChildProcess | undefined;

  const keep = (text: unknown) => {
    output += String(text);
  };
  const start = async () => {
    const started = spawn(process.execPath, ['service/main.ts'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    started.stdout.on('data', keep);
    started.stderr.on('data', keep);
    const deadline = Date.now() + START_MS;
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
    await place.remove();
  };
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url,
    place: place.env,
    output: () => output,
    link() {
      const found = /https?:\/\/\S+\/link#[\w-]+/.exec(output);
      if (!found) throw new Error(`The service printed no link:\n${output}`);
      return found[0];
    },
    start,
    stop,
    async admin(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, ['service/cli/admin.ts', ...args], {
        env,
      });
      return JSON.parse(stdout);
    },
    remove,
  };
}
