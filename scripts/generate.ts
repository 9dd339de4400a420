/** Generates the files derived from the contract and from the route files, in the current folder. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolveConfig } from 'vite';
import { z } from 'zod';

/** Runs a tool from node_modules; shows its output only if it fails. */
function runTool(name: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`node_modules/${name}`, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`);
}

/** Writes the bundled contract, its types (contract/generated), and the client of the console (src/api/generated). */
function generateFromContract() {
  runTool('@redocly/cli/bin/cli.js', 'bundle', 'steward', '-o', 'contract/openapi.json');
  runTool('@hey-api/openapi-ts/bin/run.js', '--no-log-file');
  // The client imports the types of contract/generated (openapi-ts.config.ts); this copy is unused.
  rmSync('src/api/generated/types.gen.ts');
  // The generator does not export what it places into another file than its users.
  const helpers = 'src/api/generated/@tanstack/react-query.gen.ts';
  writeFileSync(helpers, readFileSync(helpers, 'utf8').replaceAll(/^const create/gm, 'export const create'));
  const queries = globSync('queries/*.gen.ts', { cwd: 'src/api/generated' }).toSorted();
  const names = queries.map((file) => `export * from './${file.replaceAll('\\', '/')}';`);
  writeFileSync(
    'src/api/generated/queries.gen.ts',
    `// This file is generated; only types may import it, because it needs the client of every area.\n${names.join('\n')}\n`,
  );
}

const Paths = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const Operation = z.object({
  operationId: z.string(),
  'x-capability': z.array(z.string()).default([]),
});
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Writes the capabilities that each operation requires, so that the console can check them before a call. */
function generateCapabilities() {
  const { paths } = Paths.parse(JSON.parse(readFileSync('contract/openapi.json', 'utf8')));
  const operations = Object.values(paths).flatMap((item) =>
    METHODS.flatMap((method) => (item[method] ? [Operation.parse(item[method])] : [])),
  );
  const rows = operations.map((operation) => {
    const names = operation['x-capability'].map((name) => `'${name}'`);
    return `  ${operation.operationId}: [${names.join(', ')}],`;
  });
  const table = `// This file is generated from x-capability of contract/openapi.json; never edit it.
import type { Capability } from '../../contract/generated/types.gen.ts';

/** Capabilities of each operation, any one of which is sufficient; empty where none is required. */
export const CAPABILITIES = {
${rows.join('\n')}
} satisfies Record<string, readonly Capability[]>;
`;
  writeFileSync('src/api/capabilities.gen.ts', table);
}

/** Writes the route tree: the router plugin does so when the Vite configuration is resolved, and only logs its errors. */
async function generateRouteTree() {
  const logError = console.error;
  const errors: unknown[] = [];
  console.error = (...args: unknown[]) => errors.push(...args);
  await resolveConfig({ root: process.cwd(), configFile: 'vite.config.ts' }, 'build');
  console.error = logError;
  if (errors.length > 0) throw new Error(`The route tree was not written: ${errors.map(String).join(' ')}`);
}

generateFromContract();
generateCapabilities();
await generateRouteTree();
