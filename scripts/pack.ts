/** Lays the packed forms of a built file beside it, so that the service sends them as they are. */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** Below this a file goes in one packet of the network anyway; the service packs nothing smaller either. */
const LEAST_BYTES = 1024;

const PACKINGS = [
  ['.br', promisify(brotliCompress)],
  ['.gz', promisify(gzip)],
] as const;

/** Packs the texts below this folder, each once and as small as can be. */
export async function pack(dist: string): Promise<void> {
  const files = globSync(`${dist}/**/*.{js,css,svg}`);
  await Promise.all(files.map(packFile));
}

async function packFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < LEAST_BYTES) return;
  await Promise.all(
    PACKINGS.map(async ([ending, packed]) => writeFile(`${file}${ending}`, await packed(bytes))),
  );
}
