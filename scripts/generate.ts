// Regenerates what is made from the contract and from the route files, in the current folder.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolveConfig } from 'vite';
import { z } from 'zod';

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

const Paths = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const Operation = z.object({
  operationId: z.string(),
  'x-capability': z.array(z.string()).default([]),
});
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** What each operation asks for, so that the console says it before somebody tries. */
function capabilities() {
  const { paths } = Paths.parse(JSON.parse(readFileSync('contract/openapi.json', 'utf8')));
  const operations = Object.values(paths).flatMap((item) =>
    METHODS.flatMap((method) => (item[method] ? [Operation.parse(item[method])] : [])),
  );
  const rows = operations.map((each) => {
    const names = each['x-capability'].map((name) => `'${name}'`);
    return `  ${each.operationId}: [${names.join(', ')}],`;
  });
  const table = `// This file is generated from x-capability of contract/openapi.json; never edit it.
import type { Capability } from './generated/types.gen.ts';

/** The capabilities that each operation asks for: any one of them suffices. */
export const CAPABILITIES = {
${rows.join('\n')}
} satisfies Record<string, readonly Capability[]>;
`;
  writeFileSync('src/api/capabilities.gen.ts', table);
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

contract();
capabilities();
await routeTree();
