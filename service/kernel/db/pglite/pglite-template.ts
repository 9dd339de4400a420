/** Template of an empty, migrated cluster: unpacking it takes a fraction of the time of initdb and the migrations. */
import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const manifest = readFileSync(
  new URL('../package.json', import.meta.resolve('@electric-sql/pglite')),
  'utf8',
);
const pgliteVersion = /"version": "([^"]+)"/.exec(manifest)?.[1] ?? 'unknown';

/** The name contains the version of PGlite, because clusters of another version may have different files. */
export const templateFile = new URL(`../pglite-${pgliteVersion}.tar.br`, import.meta.url);

/** The template in the form that PGlite loads; undefined when there is none for the installed version. */
export function readTemplate(): Blob | undefined {
  if (!existsSync(templateFile)) return undefined;
  return new Blob([Uint8Array.from(brotliDecompressSync(readFileSync(templateFile)))]);
}
