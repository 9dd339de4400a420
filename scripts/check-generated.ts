/** Fails if regenerating changes a generated file. Works on a copy, so that the checkout stays unchanged. */
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
// The copy starts without generated files, so that obsolete ones are detected.
for (const file of globSync(GENERATED, { cwd: copy })) rmSync(join(copy, file));
execFileSync(process.execPath, ['scripts/generate.ts'], { cwd: copy, stdio: 'inherit' });

const files = new Set([...globSync(GENERATED), ...globSync(GENERATED, { cwd: copy })]);
const read = (path: string) => (globSync(path).length > 0 ? readFileSync(path, 'utf8') : undefined);
const staleFiles = [...files].filter((file) => read(file) !== read(join(copy, file)));
if (staleFiles.length > 0) {
  console.error(
    `These files are not current. Run "npm run generate" and commit:\n  ${staleFiles.join('\n  ')}`,
  );
  process.exitCode = 1;
}
