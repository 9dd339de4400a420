// Builds the console into dist. With --if-stale only when a source of it changed since the last build.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'vite';
import { pack } from './pack.ts';

const STAMP = 'dist/.built-from';
const SOURCES = [
  'index.html',
  'vite.config.ts',
  'scripts/pack.ts',
  'package-lock.json',
  'src/**/*',
  'public/**/*',
  'contract/**/*.{ts,json}',
];

/** One hash over the names and bytes of everything the bundle is made from. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted();
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

const before = hashOfSources();
const current = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === before;
if (!(current && process.argv.includes('--if-stale'))) {
  await build({ logLevel: 'warn' });
  await pack('dist');
  // The build may write src/routeTree.gen.ts, so the stamp is taken of what stands there now.
  writeFileSync(STAMP, hashOfSources());
  console.log('The console is built into dist.');
}
