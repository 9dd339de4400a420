// Regenerates what is made from the contract and from the route files, in the current folder.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolveConfig } from 'vite';

/** Runs a tool of node_modules/.bin; its report is shown only when it fails. */
function tool(name: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`node_modules/${name}`, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`);
}

function contract() {
  tool('@redocly/cli/bin/cli.js', 'bundle', 'steward', '-o', 'contract/openapi.json');
  tool('@hey-api/openapi-ts/bin/run.js', '--no-log-file');
}

/** The router's plugin writes the route tree when Vite's configuration is resolved; it only logs its faults. */
async function routeTree() {
  const logError = console.error;
  const faults: unknown[] = [];
  console.error = (...args: unknown[]) => faults.push(...args);
  await resolveConfig({ root: process.cwd(), configFile: 'vite.config.ts' }, 'build');
  console.error = logError;
  if (faults.length > 0) throw new Error(`The route tree was not written: ${faults.map(String).join(' ')}`);
}

if (existsSync('contract/openapi.yaml')) contract();
if (existsSync('src/routes')) await routeTree();
