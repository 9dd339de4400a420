// Starts an unpacked release and checks that it serves: run by scripts/release/release.ts without network. Plain JavaScript, so that it needs
// nothing of the project. Prints a line of JSON with the milliseconds until the service was ready: at the first start, which creates
// the database, and at the next one; for the embedded database, and for the empty PostgreSQL of TEST_DATABASE_URL if there is one.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const home = process.argv[2] ?? '';
const node = join(home, `node_modules/node-linux-${process.arch}/bin/node`);
const address = 'http://127.0.0.1:4499';
const baseEnv = {
  ...process.env,
  PORT: '4499',
  DATA_DIR: join(home, '../data'),
  STEWARD_SAMPLE: 'off',
  LOG_LEVEL: 'warn',
};
const { TEST_DATABASE_URL: databaseUrl } = process.env;

/** What `npm start` runs before the service must pass without npm and network. */
execFileSync(node, [join(home, 'scripts/setup.mjs'), '--build'], {
  env: baseEnv,
  stdio: ['ignore', 'ignore', 'inherit'],
});
/** @param {string} path */
const load = async (path) => {
  const response = await fetch(address + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
};
/** @type {import('node:child_process').ChildProcess | undefined} */
let service;
/**
 * Starts the service.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} milliseconds until it was ready
 */
const start = async (env) => {
  const startedAt = performance.now();
  const started = spawn(node, [join(home, 'service/main.ts')], {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  service = started;
  while (!(await load('/readyz').catch(() => undefined))) {
    if (started.exitCode !== null) throw new Error(`The service ended with code ${started.exitCode}`);
    await sleep(20);
  }
  return performance.now() - startedAt;
};
const stop = async () => {
  if (!service) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
  if (service.exitCode !== 0) throw new Error(`The service stopped with code ${service.exitCode}`);
};
/**
 * Starts, uses and stops the service on a database.
 * @param {'embedded' | 'postgres'} database
 * @param {NodeJS.ProcessEnv} env
 */
const check = async (database, env) => {
  const firstStartMs = await start(env);
  const page = await load('/');
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (script === undefined) throw new Error('The page names no script');
  for (const path of [
    script,
    '/api/current',
    '/api/current/ui/swagger-ui-bundle.js',
    '/api/current/openapi.json',
  ])
    await load(path);
  const link = execFileSync(join(home, 'bin/steward'), ['site', 'administrator-link'], {
    env: { ...env, PUBLIC_URL: address },
    encoding: 'utf8',
  });
  if (!link.includes('/link#')) throw new Error('The command printed no link');
  await stop();
  // Fails if this version cannot work on the database.
  execFileSync(join(home, 'bin/steward'), ['migrate', '--status'], { env, stdio: 'ignore' });
  // The shortest of three: other programs of the machine must not decide.
  let startMs = Infinity;
  for (let count = 0; count < 3; count += 1) {
    startMs = Math.min(startMs, await start(env));
    await stop();
  }
  return { database, firstStartMs, startMs };
};
try {
  const times = [await check('embedded', baseEnv)];
  if (databaseUrl !== undefined)
    times.push(
      await check('postgres', { ...baseEnv, DATABASE_URL: databaseUrl, DATA_DIR: join(home, '../files') }),
    );
  console.log(JSON.stringify(times));
} finally {
  service?.kill('SIGKILL');
}
