/**
 * Starts a Directus server in a schema of the database of the service. Directus is not a dependency of this project; an environment
 * variable names the folder where it is installed.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../../scripts/testing/free-port.ts';
import { runStatement } from '../../../scripts/testing/postgres.ts';
import { type EntryService, createCaller } from '../../entries/entry-service.ts';

const FOLDER_VARIABLE = 'STEWARD_BENCH_DIRECTUS';
const SCHEMA = 'directus';
const START_TIMEOUT_MS = 120_000;

/** Account of the administrator who signs in to Directus in the browser. */
const administrator = { email: 'ada.marsh@example.com', password: 'grey herons over the weir' };

interface Executables {
  /** Path of Node for Directus, which requires an older version than this project. */
  node: string;
  cli: string;
}

export interface Directus {
  url: string;
  /** Database schema of Directus. */
  schema: string;
  administrator: typeof administrator;
  /** Calls the API as an administrator; see `EntryService.call`. */
  call: EntryService['call'];
  /** Deletes the presets of users, which contain the last visited page of a table. */
  deleteUserPresets(): Promise<void>;
  remove(): Promise<void>;
}

function findExecutables(): Executables | string {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined)
    return `${FOLDER_VARIABLE} is not set to a folder with Directus; see bench/console/directus.ts`;
  const modules = resolve(folder, 'node_modules');
  const paths = {
    node: join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node'),
    cli: join(modules, 'directus', 'cli.js'),
  };
  const missing = Object.values(paths).find((file) => !existsSync(file));
  return missing === undefined ? paths : `${missing} does not exist`;
}

/** Reason why Directus cannot be measured; undefined if it can. */
export function getSkipReason(): string | undefined {
  const executables = findExecutables();
  return typeof executables === 'string' ? executables : undefined;
}

/** Environment for one production process with default settings, without limits on the rate of requests. */
const buildEnvironment = (databaseUrl: string, port: number, folder: string, token: string) => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: databaseUrl,
  DB_SEARCH_PATH: `array:${SCHEMA}`,
  SECRET: randomBytes(32).toString('hex'),
  ADMIN_EMAIL: administrator.email,
  ADMIN_PASSWORD: administrator.password,
  ADMIN_TOKEN: token,
  STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
  EXTENSIONS_PATH: join(folder, 'extensions'),
  CACHE_ENABLED: 'false',
  RATE_LIMITER_ENABLED: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
  TELEMETRY: 'false',
  // Otherwise Directus shows a dialog asking for the e-mail address of the project owner.
  PROJECT_OWNER_ENABLED: 'false',
  LOG_LEVEL: 'error',
});

/** Starts the server process; returns a function that stops it. @throws {Error} With its output if it does not start. */
async function startProcess({ node, cli }: Executables, url: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(node, [cli, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (text: unknown) => {
    output += String(text);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  process.on('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isReachable = () =>
    fetch(`${url}/server/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReachable())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`Directus did not start:\n${output}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  return stop;
}

/** Creates the schema and starts Directus in it; the server ends with this process at the latest. */
export async function startDirectus(databaseUrl: string): Promise<Directus> {
  const executables = findExecutables();
  if (typeof executables === 'string') throw new Error(executables);
  const folder = await mkdtemp(join(tmpdir(), 'steward-directus-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const token = randomBytes(32).toString('base64url');
  const env = { PATH: process.env['PATH'], ...buildEnvironment(databaseUrl, port, folder, token) };
  let stop: (() => Promise<void>) | undefined;
  const remove = async () => {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(env.EXTENSIONS_PATH, { recursive: true });
    await runStatement(databaseUrl, `create schema ${SCHEMA}`);
    await promisify(execFile)(executables.node, [executables.cli, 'bootstrap'], { cwd: folder, env });
    stop = await startProcess(executables, url, folder, env);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url,
    schema: SCHEMA,
    administrator,
    call: createCaller({ url }, token),
    deleteUserPresets: () =>
      runStatement(databaseUrl, `delete from ${SCHEMA}.directus_presets where "user" is not null`),
    remove,
  };
}
