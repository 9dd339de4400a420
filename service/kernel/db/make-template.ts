/** Makes the template for the installed version of PGlite: run it after each upgrade and commit the file. */
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { templateFile } from './pglite-template.ts';

const db = await PGlite.create();
await db.query('vacuum (freeze, analyze)');
await db.query('checkpoint');
const tar = await (await db.dumpDataDir('none')).arrayBuffer();
await db.close();

// The three databases of a new cluster are nearly alike: a window as wide as a whole one finds that.
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_QUALITY]: 11 };
writeFileSync(templateFile, brotliCompressSync(tar, { params }));
