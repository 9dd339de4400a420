/**
 * A private PostgreSQL for the tests: a new cluster in a temporary folder that listens only on the loopback interface. Run directly
 * (`node scripts/testing/postgres.ts`), it prints its URL and runs until Ctrl-C or the end of its input. `--standby-of=URL` makes it a hot standby
 * of another one.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { z } from 'zod';
import { installDebianPackage } from './debian.ts';
import { findFreePort } from './free-port.ts';

const MIN_VERSION = 15;

function getVersion(folder: string): number {
  const output = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout ?? '';
  return Number(/ (\d+)/.exec(output)?.[1] ?? 0);
}

/** Folder of the programs of the newest installed PostgreSQL that is new enough. */
function findPrograms(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const usualFolders = [
    '/usr/lib/postgresql/*/bin',
    '/usr/pgsql-*/bin',
    '/opt/homebrew/opt/postgresql@*/bin',
  ];
  return [...onPath, ...globSync(usualFolders)]
    .filter((folder) => existsSync(join(folder, 'initdb')) && getVersion(folder) >= MIN_VERSION)
    .toSorted((a, b) => getVersion(b) - getVersion(a))[0];
}

function ensurePrograms(): string {
  const folder = findPrograms() ?? (installDebianPackage('postgresql') ? findPrograms() : undefined);
  if (folder) return folder;
  throw new Error(
    `The tests need PostgreSQL ${MIN_VERSION} or newer: install it (Debian: apt install postgresql, macOS: brew install postgresql@18), ` +
      'or set TEST_DATABASE_URL to a superuser of an empty cluster.',
  );
}

const getPostgresId = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** PostgreSQL refuses to run as root; then it runs as the user that its package created. */
function getServerUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: getPostgresId('-u'), gid: getPostgresId('-g') };
}

const STANDBY_OF = '--standby-of=';
const PROGRAMS = '--programs=';

/** Signals by which a running server ends: after it has rolled back all transactions (SIGINT), or at once, like a crash (SIGQUIT). */
const EndSignal = z.enum(['SIGINT', 'SIGQUIT']);
type EndSignal = z.infer<typeof EndSignal>;

/**
 * Runs a cluster until this process ends. `extraSettings` (`name=value`) override the default ones. A line of the input with the name of a
 * signal ends the server until the line `start`; each is answered with a line.
 */
async function runCluster(words: readonly string[]): Promise<void> {
  const primaryUrl = words.find((word) => word.startsWith(STANDBY_OF))?.slice(STANDBY_OF.length);
  const programs = words.find((word) => word.startsWith(PROGRAMS))?.slice(PROGRAMS.length);
  const extraSettings = words.filter((word) => !word.startsWith(STANDBY_OF) && !word.startsWith(PROGRAMS));
  const bin = programs ?? ensurePrograms();
  const folder = mkdtempSync(join(tmpdir(), 'steward-postgres-'));
  const user = getServerUser();
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, stdio: ['ignore', 'ignore', 2] as ['ignore', 'ignore', 2] };
  if (primaryUrl === undefined)
    execFileSync(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'steward', '--auth=trust', '-E', 'UTF8', '--locale=C', '-N'],
      options,
    );
  else {
    // PATH may have links to some of the programs only.
    const folderOfAll = dirname(realpathSync(join(bin, 'postgres')));
    const args = ['-D', data, '-d', primaryUrl, '-R', '-c', 'fast', '-N'];
    execFileSync(join(folderOfAll, 'pg_basebackup'), args, options);
  }
  const port = await findFreePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    'log_min_messages=fatal',
    // Tests kill processes but not the machine, so that what was handed to the system is not lost.
    'fsync=off',
    ...extraSettings,
  ];
  const url = `postgresql://steward@127.0.0.1:${port}/postgres`;
  let isDown = false;
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      options,
    );
    server = started;
    started.once('exit', (code) => {
      if (isDown) console.log('down');
      else process.exit(code ?? 1);
    });
    process.once('exit', () => started.kill('SIGINT'));
    await waitUntilReady(url);
    console.log(url);
  };
  const stop = () => (isDown ? process.exit() : server?.kill('SIGINT'));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const input = createInterface(process.stdin);
  input.on('line', (line) => {
    isDown = line !== 'start';
    if (isDown) server?.kill(EndSignal.parse(line));
    else void start();
  });
  // The parent process keeps stdin open; when it ends in any way, stdin ends.
  input.on('close', stop);
  await start();
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await client.end();
    }
  }
}

/** Runs a statement on a new connection. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export interface Cluster {
  /** URL of the superuser's database. */
  url: string;
  /** Ends the server until `start`, with its folder left as it is. */
  end(signal: EndSignal): Promise<void>;
  /** Starts an ended server again at the same address, and resolves when it accepts connections. */
  start(): Promise<void>;
  /** Stops the server and deletes its folder. */
  stop(): Promise<void>;
}

/** Starts a hot standby of a cluster, like `startPostgres`. `name`: as the primary calls it in `synchronous_standby_names`. */
export function startStandby(
  primaryUrl: string,
  { name, settings = [] }: { name?: string; settings?: readonly string[] } = {},
): Promise<Cluster> {
  const url = new URL(primaryUrl);
  if (name !== undefined) url.searchParams.set('application_name', name);
  return startPostgres([`${STANDBY_OF}${url.href}`, ...settings]);
}

/**
 * Folder of the programs of a PostgreSQL in which Citus is installed: `CITUS_PROGRAMS`, or the one that the tests use; undefined without
 * Citus.
 */
export function findCitusPrograms(): string | undefined {
  const folder = process.env['CITUS_PROGRAMS'] ?? findPrograms();
  if (folder === undefined) return undefined;
  const programs = dirname(realpathSync(join(folder, 'postgres')));
  return existsSync(join(programs, '../lib/citus.so')) ? programs : undefined;
}

/**
 * Starts a private cluster with additional settings (`name=value`), with the programs of a folder or those that are found. It stops when
 * this process ends in any way. `env` is added to the environment of the server.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  programs?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const words = programs === undefined ? settings : [...settings, `${PROGRAMS}${programs}`];
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(import.meta.url), ...words], {
    // A separate process group: Ctrl-C reaches only the tests, which stop the cluster when they no longer need it.
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  if (!child.stdout) throw new Error('The output of PostgreSQL cannot be read');
  const lines = createInterface(child.stdout);
  const readLine = async (): Promise<string> => {
    const event: unknown[] = await Promise.race([once(lines, 'line'), exited]);
    const [line] = event;
    if (typeof line !== 'string') throw new Error('PostgreSQL did not start');
    return line;
  };
  const send = async (line: string): Promise<void> => {
    const answer = readLine();
    child.stdin?.write(`${line}\n`);
    await answer;
  };
  return {
    url: await readLine(),
    end: (signal) => send(signal),
    start: () => send('start'),
    async stop() {
      child.stdin?.end();
      await exited;
    },
  };
}

if (import.meta.main) await runCluster(process.argv.slice(2));
