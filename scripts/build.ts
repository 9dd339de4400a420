/** Builds the console into dist; with --if-stale only if one of its sources changed since the last build. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';
import { CONSOLE_SOURCES, hashFiles } from './source-hash.ts';

const STAMP_FILE = 'dist/.built-from';
/** Everything that the bundle contains. */
const hashSources = (): string => hashFiles([...CONSOLE_SOURCES, 'docs/quality/*.json']);

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
