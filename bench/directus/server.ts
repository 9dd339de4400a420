/**
 * A Directus of its own, in a schema of the database that the service is on. It is no dependency of this project: where
 * it is, an environment variable says.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../scripts/free-port.ts';
import { runStatement } from '../../scripts/postgres.ts';
import { type Place, requests } from '../entries/place.ts';

const VARIABLE = 'STEWARD_BENCH_DIRECTUS';
const SCHEMA = 'directus';
const START_MS = 120_000;

/** Who signs in to it in the browser. */
const administrator = { email: 'ada.marsh@example.com', password: 'grey herons over the weir' };

interface Programs {
  /** Its own Node: Directus wants an older one than this project. */
  node: string;
  cli: string;
}

export interface Directus {
  url: string;
  /** Its schema in the database. */
  schema: string;
  administrator: typeof administrator;
  /** The body of a good answer to a program with the rights of an administrator; anything else is thrown. */
  ask: Place['ask'];
  /** Forgets what people chose in its tables: where they were is kept as well. */
  forget(): Promise<void>;
  remove(): Promise<void>;
}

function programs(): Programs | string {
  const folder = process.env[VARIABLE];
  if (folder === undefined) return `${VARIABLE} names no folder with Directus (bench/directus.ts says how)`;
  const modules = resolve(folder, 'node_modules');
  const found = {
    node: join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node'),
    cli: join(modules, 'directus', 'cli.js'),
  };
  const missing = Object.values(found).find((file) => !existsSync(file));
  return missing === undefined ? found : `there is no ${missing}`;
}

/** Why there is no Directus to measure, if there is none. */
export function whyNot(): string | undefined {
  const found = programs();
  return typeof found === 'string' ? found : undefined;
}

/** Its defaults for a production of one process, with nothing that slows or refuses a program in a hurry. */
const settings = (databaseUrl: string, port: number, folder: string, token: string) => ({
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
  // Else it asks over its pages for somebody's address.
  PROJECT_OWNER_ENABLED: 'false',
  LOG_LEVEL: 'error',
});

/** Starts it; its output is told when it does not start. */
async function start({ node, cli }: Programs, url: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(node, [cli, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (text: unknown) => {
    output += String(text);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  process.on('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const deadline = Date.now() + START_MS;
  const answers = () =>
    fetch(`${url}/server/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  // A look after the other.
  while (!(await answers())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`Directus did not start:\n${output}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  return stop;
}

/** A new Directus in a schema of this database, started; it ends with this process. */
export async function newDirectus(databaseUrl: string): Promise<Directus> {
  const found = programs();
  if (typeof found === 'string') throw new Error(found);
  const folder = await mkdtemp(join(tmpdir(), 'steward-directus-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const token = randomBytes(32).toString('base64url');
  const env = { PATH: process.env['PATH'], ...settings(databaseUrl, port, folder, token) };
  let stop: (() => Promise<void>) | undefined;
  const remove = async () => {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(env.EXTENSIONS_PATH, { recursive: true });
    await runStatement(databaseUrl, `create schema ${SCHEMA}`);
    await promisify(execFile)(found.node, [found.cli, 'bootstrap'], { cwd: folder, env });
    stop = await start(found, url, folder, env);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url,
    schema: SCHEMA,
    administrator,
    ask: requests({ url }, token),
    forget: () =>
      runStatement(databaseUrl, `delete from ${SCHEMA}.directus_presets where "user" is not null`),
    remove,
  };
}
