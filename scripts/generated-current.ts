/** Fails when regenerating changes a byte. Works in a copy, so that the checkout stays as it is. */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const INPUTS = [
  'contract',
  'src',
  'scripts',
  'package.json',
  'redocly.yaml',
  'openapi-ts.config.ts',
  'vite.config.ts',
];
const GENERATED = ['contract/openapi.json', '{contract,src/api}/generated/**/*.ts', 'src/**/*.gen.ts'];

const copy = mkdtempSync(join(tmpdir(), 'steward-generate-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const input of INPUTS) cpSync(input, join(copy, input), { recursive: true });
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'), 'junction');
// What nobody generates any more must go: the copy starts without any.
for (const file of globSync(GENERATED, { cwd: copy })) rmSync(join(copy, file));
execFileSync(process.execPath, ['scripts/generate.ts'], { cwd: copy, stdio: 'inherit' });

const files = new Set([...globSync(GENERATED), ...globSync(GENERATED, { cwd: copy })]);
const read = (path: string) => (globSync(path).length > 0 ? readFileSync(path, 'utf8') : undefined);
const stale = [...files].filter((file) => read(file) !== read(join(copy, file)));
if (stale.length > 0) {
  console.error(`Not current; run "npm run generate" and commit:\n  ${stale.join('\n  ')}`);
  process.exitCode = 1;
}
