import { writeFileSync } from 'node:fs';
/** Creates the cluster template for the installed version of PGlite. Run after each upgrade and each new migration; commit the file. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { openDatabase } from './database.ts';
import { templateFile } from './pglite/pglite-template.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'steward-template-'));
const cluster = join(dataDir, 'db', 'cluster');
await mkdir(join(dataDir, 'db'));

// The cluster comes from initdb, so that an existing template is not used: it may be of another version.
const bare = await PGlite.create({ dataDir: cluster });
await bare.close();
const { close } = await openDatabase({ databaseUrl: undefined, dataDir });
await close();

const db = await PGlite.create({ dataDir: cluster, extensions: { pg_trgm, btree_gin } });
// The catalog only: for an analyzed empty table the planner chooses a sequential scan, and prepared plans keep it.
const { rows } = await db.query<{ names: string }>(`
  select string_agg(oid::regclass::text, ', ') as names from pg_class
  where relkind = 'r' and relnamespace = 'pg_catalog'::regnamespace`);
await db.exec(`vacuum (freeze, analyze) ${rows[0]?.names ?? ''}`);
await db.exec('checkpoint');
const tar = await (await db.dumpDataDir('none')).arrayBuffer();
await db.close();
await rm(dataDir, { recursive: true });

// The three databases of a new cluster are nearly identical: a 16 MB window covers a whole one.
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_QUALITY]: 11 };
writeFileSync(templateFile, brotliCompressSync(tar, { params }));
