/**
 * A private PostgreSQL for the tests: a new cluster in a temporary folder, reachable on the loopback only.
 * Run by hand (`node scripts/postgres.ts`) it prints its address and lives until Ctrl-C or the end of its input.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { installDebianPackage } from './debian.ts';
import { freePort } from './free-port.ts';

const OLDEST = 15;

function version(folder: string): number {
  const said = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout ?? '';
  return Number(/ (\d+)/.exec(said)?.[1] ?? 0);
}

/** The newest installed PostgreSQL that is new enough: the folder of its programs. */
function findPrograms(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const known = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql@*/bin'];
  return [...onPath, ...globSync(known)]
    .filter((folder) => existsSync(join(folder, 'initdb')) && version(folder) >= OLDEST)
    .toSorted((a, b) => version(b) - version(a))[0];
}

function programs(): string {
  const found = findPrograms() ?? (installDebianPackage('postgresql') ? findPrograms() : undefined);
  if (found) return found;
  throw new Error(
    `The tests need PostgreSQL ${OLDEST} or newer: install it (Debian: apt install postgresql, macOS: brew install postgresql@18), ` +
      'or set TEST_DATABASE_URL to a superuser of an empty cluster.',
  );
}

const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** PostgreSQL refuses to run as root, so there it runs as the user its package made. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: id('-u'), gid: id('-g') };
}

/** More settings (`name=value`) come behind those that every cluster has. */
async function runCluster(chosen: readonly string[]): Promise<void> {
  const bin = programs();
  const folder = mkdtempSync(join(tmpdir(), 'steward-postgres-'));
  const user = owner();
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'steward', '--auth=trust', '-E', 'UTF8', '--locale=C', '-N'],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 2] },
  );
  const port = await freePort();
  // fsync stays on: the tests that kill the service in the middle of writes prove nothing without it.
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const more = ['max_connections=200', 'log_min_messages=fatal', 'fsync=on'];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...[...settings, ...more, ...chosen].flatMap((line) => ['-c', line])],
    {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 2],
    },
  );
  const stop = () => server.kill('SIGINT');
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // Whoever started this holds its input open; when that process ends in any way, the input ends.
  process.stdin.resume().on('end', stop).on('close', stop);
  server.once('exit', (code) => process.exit(code ?? 1));
  process.on('exit', stop);
  const url = `postgresql://steward@127.0.0.1:${port}/postgres`;
  await answers(url);
  console.log(url);
}

async function answers(url: string): Promise<void> {
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

/** Runs a statement in a connection of its own. */
export async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export interface Cluster {
  /** Address of the superuser's database. */
  url: string;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a private cluster, with these settings (`name=value`). It ends with this process, however this ends. */
export async function startPostgres(settings: readonly string[] = []): Promise<Cluster> {
  const keeper: ChildProcess = spawn(process.execPath, [fileURLToPath(import.meta.url), ...settings], {
    // A group of its own: Ctrl-C reaches the tests, which stop it when they are done with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(keeper, 'exit');
  if (!keeper.stdout) throw new Error('The output of PostgreSQL cannot be read');
  const said: unknown[] = await Promise.race([once(createInterface(keeper.stdout), 'line'), ended]);
  const url = said[0];
  if (typeof url !== 'string') throw new Error('PostgreSQL did not start');
  return {
    url,
    async stop() {
      keeper.stdin?.end();
      await ended;
    },
  };
}

if (import.meta.main) await runCluster(process.argv.slice(2));
