/** Builds the console into dist; with --if-stale only if one of its sources changed since the last build. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';

const STAMP_FILE = 'dist/.built-from';
const SOURCES = [
  'index.html',
  'vite.config.ts',
  'scripts/{chunks,documents,pdf-files}.ts',
  'package-lock.json',
  'src/**/*',
  'public/**/*',
  'docs/*.md',
  'docs/help/*.md',
  'docs/quality/*.json',
  'contract/**/*.{ts,json}',
];

/** Hash of the names and contents of all sources of the bundle. */
function hashSources(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted();
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** Smaller files fit into one network packet; the service compresses nothing smaller either. */
const MIN_COMPRESSED_BYTES = 1024;

const COMPRESSIONS = [
  ['.br', promisify(brotliCompress)],
  ['.gz', promisify(gzip)],
] as const;

/** Writes a Brotli and a gzip copy beside each text file, which the service sends as they are. */
async function compressFiles(dist: string): Promise<void> {
  const files = globSync(`${dist}/**/*.{js,css,svg,wasm}`);
  await Promise.all(files.map(compressFile));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < MIN_COMPRESSED_BYTES) return;
  await Promise.all(
    COMPRESSIONS.map(async ([ending, compress]) => writeFile(`${file}${ending}`, await compress(bytes))),
  );
}

const isCurrent = existsSync(STAMP_FILE) && readFileSync(STAMP_FILE, 'utf8') === hashSources();
if (!(isCurrent && process.argv.includes('--if-stale'))) {
  await build({ logLevel: 'warn' });
  await compressFiles('dist');
  // Hashed again, because the build may write src/routeTree.gen.ts.
  writeFileSync(STAMP_FILE, hashSources());
  console.log('Built the console into dist.');
}
