/**
 * `npm run release`: makes release/steward-VERSION-linux.tar.gz (the built console, the service, its packages for linux x64 and arm64,
 * checksums, a bill of materials) and tests it: unpacked in an empty folder without network, it starts and answers. Where images can
 * be built, it also builds and runs the one of deploy/Dockerfile.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { CONSOLE_SOURCES, hashFiles } from '../source-hash.ts';
import { type Cluster, startPostgres } from '../testing/postgres.ts';
import { checkAdvisories, Lockfile } from './advisories.ts';
import { findImageBuilder, testImage } from './image.ts';
import { describeProof } from './proof-record.ts';
import { explainQualityResults } from './quality-results.ts';
import { isUnneeded, listProjectFiles } from './release-contents.ts';

const ARCHITECTURES = ['x64', 'arm64'] as const;
/** Limit of the packages beside Node itself, in MB, for each architecture. */
const MAX_PACKAGES_MB = 100;
const TEST_TIMEOUT_MS = 600_000;
/** Limit of the time until the service is ready when its database exists. */
const MAX_START_MS = 3_000;

const root = process.cwd();
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));
const name = `steward-${version}`;
const stage = join(root, 'release', name);

const run = (command: string, args: readonly string[], cwd = root): string =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e8,
  });

/** Installs the packages of the service for an architecture into a folder with the lockfile. */
function installPackages(folder: string, architecture: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) cpSync(file, join(folder, file));
  const target = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', ...target], folder);
}

/** Adds the packages of the other architecture, and their entries of npm's own lockfile. */
function mergePackages(from: string): void {
  const lockfile = 'node_modules/.package-lock.json';
  const [ours, theirs] = [stage, from].map((folder) =>
    Lockfile.parse(JSON.parse(readFileSync(join(folder, lockfile), 'utf8'))),
  );
  if (!ours || !theirs) throw new Error('npm wrote no lockfile');
  for (const path of Object.keys(theirs.packages))
    if (!Object.hasOwn(ours.packages, path)) cpSync(join(from, path), join(stage, path), { recursive: true });
  const packages = { ...theirs.packages, ...ours.packages };
  writeFileSync(join(stage, lockfile), JSON.stringify({ ...ours, packages }, null, 2));
}

const listFiles = (folder: string): string[] =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

function prunePackages(): void {
  const folder = join(stage, 'node_modules');
  for (const path of listFiles(folder)) if (isUnneeded(path)) rmSync(join(folder, path));
  // Links to commands of packages, some of which are gone.
  rmSync(join(folder, '.bin'), { recursive: true, force: true });
}

/** MB of the packages that one architecture needs, without Node. */
function measurePackages(architecture: string): number {
  const folder = join(stage, 'node_modules');
  const other = ARCHITECTURES.find((each) => each !== architecture) ?? '';
  const bytes = listFiles(folder)
    .filter(
      (path) => !path.startsWith('node-linux-') && !path.split('/', 2).join('/').includes(`linux-${other}`),
    )
    .reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
  return bytes / 1e6;
}

const hashFile = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

function writeChecksums(): void {
  const lines = listFiles(stage).map((path) => `${hashFile(join(stage, path))}  ${path}\n`);
  writeFileSync(join(stage, 'SHA256SUMS'), lines.join(''));
}

/** Command that runs another one without network, where the system allows it. */
function isolate(): string[] {
  // Root keeps its rights on folders of other users, such as that of the test's PostgreSQL.
  for (const options of [['--net'], ['--net', '--map-root-user']]) {
    const wrapper = ['unshare', ...options, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
    if (spawnSync('unshare', [...wrapper.slice(1), 'true'], { stdio: 'ignore' }).status === 0) return wrapper;
  }
  console.log('The network cannot be cut off here: the test only makes sure that npm is not run.');
  return [];
}

/** URL of a cluster by its socket, which is reached without network. */
async function getSocketUrl({ url }: Cluster): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string; port: string }>(
      `select current_setting('unix_socket_directories') as folder, current_setting('port') as port`,
    );
    const { folder = '', port = '' } = rows[0] ?? {};
    return `postgresql://steward@/postgres?host=${folder}&port=${port}`;
  } finally {
    await client.end();
  }
}

const StartTimes = z.object({
  database: z.enum(['embedded', 'postgres']),
  firstStartMs: z.number(),
  startMs: z.number(),
});

/** Unpacks the archive into an empty folder and starts it there: without network, npm and development packages. */
async function testArchive(
  archive: string,
  databaseUrl: string | undefined,
): Promise<z.infer<typeof StartTimes>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-release-'));
  try {
    run('tar', ['-xzf', archive, '-C', folder]);
    const home = join(folder, name);
    run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], home);
    const [command, ...args] = [
      ...isolate(),
      process.execPath,
      join(root, 'scripts/release/release-test.mjs'),
      home,
    ];
    const child = spawn(command, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, TEST_DATABASE_URL: databaseUrl },
      timeout: TEST_TIMEOUT_MS,
    });
    const exited = once(child, 'exit');
    let output = '';
    for await (const chunk of child.stdout) output += String(chunk);
    await exited;
    if (child.exitCode !== 0)
      throw new Error('The archive does not work, or not within the time of the test');
    return z.array(StartTimes).parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

checkAdvisories(process.argv.includes('--unreviewed'));
rmSync('release', { recursive: true, force: true });
run(process.execPath, ['scripts/build.ts', '--if-stale']);
for (const path of listProjectFiles(root)) {
  mkdirSync(dirname(join(stage, path)), { recursive: true });
  cpSync(path, join(stage, path));
}
const [first, ...others] = ARCHITECTURES;
installPackages(stage, first);
for (const architecture of others) {
  const folder = join(root, 'release', architecture);
  installPackages(folder, architecture);
  mergePackages(folder);
  rmSync(folder, { recursive: true });
}
writeFileSync(
  join(stage, 'sbom.cdx.json'),
  run('npm', ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx']),
);
prunePackages();
for (const architecture of ARCHITECTURES) {
  if (!existsSync(join(stage, `node_modules/node-linux-${architecture}/bin/node`)))
    throw new Error(`Node for ${architecture} is missing`);
  const size = measurePackages(architecture);
  console.log(`Packages for linux ${architecture} beside Node: ${size.toFixed(1)} MB`);
  if (size > MAX_PACKAGES_MB) throw new Error(`The packages are larger than ${MAX_PACKAGES_MB} MB`);
}
writeChecksums();
const archive = join(root, 'release', `${name}-linux.tar.gz`);
const owner = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner'];
run('tar', ['-czf', archive, ...owner, '-C', join(root, 'release'), name]);
writeFileSync(`${archive}.sha256`, `${hashFile(archive)}  ${name}-linux.tar.gz\n`);
console.log(`${archive}: ${(statSync(archive).size / 1e6).toFixed(1)} MB. Testing it without network …`);
const cluster = await startPostgres().catch(() => undefined);
if (!cluster)
  console.log('PostgreSQL is not installed: the archive is tested with the embedded database only.');
const times = await testArchive(archive, cluster && (await getSocketUrl(cluster)));
await cluster?.stop();
const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
for (const { database, firstStartMs, startMs } of times) {
  console.log(
    `The archive starts in an empty folder without network (${database}): ready after ${formatSeconds(startMs)}, the first time after ${formatSeconds(firstStartMs)}.`,
  );
  // Only a warning: a busy machine takes several times as long.
  if (startMs > MAX_START_MS)
    console.log(
      `Warning: the start takes longer than ${formatSeconds(MAX_START_MS)}; measure again on a quiet machine.`,
    );
}
const lack = explainQualityResults('docs/quality/results.json', hashFiles(CONSOLE_SOURCES));
if (lack !== undefined) console.log(`Warning: ${lack} Run "npm run quality" and make the release again.`);
const builder = findImageBuilder();
if (builder)
  console.log(`${builder} built ${await testImage(builder, join(root, 'release'), version)}, which runs.`);
console.log(describeProof());
