/** A finished, empty cluster to start from: unpacking it takes a fraction of the time of PostgreSQL's initdb. */
import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const manifest = readFileSync(
  new URL('../package.json', import.meta.resolve('@electric-sql/pglite')),
  'utf8',
);
const version = /"version": "([^"]+)"/.exec(manifest)?.[1] ?? 'unknown';

/** Named by PGlite's version: another version must make its own cluster, its files may differ. */
export const templateFile = new URL(`./pglite-${version}.tar.br`, import.meta.url);

/** The template as PGlite takes it; undefined when none was made for the installed version. */
export function readTemplate(): Blob | undefined {
  if (!existsSync(templateFile)) return undefined;
  return new Blob([Uint8Array.from(brotliDecompressSync(readFileSync(templateFile)))]);
}
