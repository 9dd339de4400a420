/** Makes the template for the installed version of PGlite: run it after each upgrade and each migration, commit the file. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { openDatabase } from './database.ts';
import { templateFile } from './pglite-template.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'steward-template-'));
const cluster = join(dataDir, 'db', 'cluster');
await mkdir(join(dataDir, 'db'));

/** A cluster of its own: the template there is may be one of another version. */
const bare = await PGlite.create({ dataDir: cluster });
await bare.close();
const { close } = await openDatabase({ databaseUrl: undefined, dataDir });
await close();

const db = await PGlite.create({ dataDir: cluster, extensions: { pg_trgm, btree_gin } });
// The catalog alone: a table of ours that is known to be empty is read from one end to the other, by plans that are kept.
const { rows } = await db.query<{ names: string }>(`
  select string_agg(oid::regclass::text, ', ') as names from pg_class
  where relkind = 'r' and relnamespace = 'pg_catalog'::regnamespace`);
await db.exec(`vacuum (freeze, analyze) ${rows[0]?.names ?? ''}`);
await db.exec('checkpoint');
const tar = await (await db.dumpDataDir('none')).arrayBuffer();
await db.close();
await rm(dataDir, { recursive: true });

// The three databases of a new cluster are nearly alike: a window as wide as a whole one finds that.
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_QUALITY]: 11 };
writeFileSync(templateFile, brotliCompressSync(tar, { params }));
