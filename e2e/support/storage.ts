/** Creates the database and data folder of one installation. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startPostgres } from '../../scripts/testing/postgres.ts';
import { distributeDatabase, isOnCitus } from '../../service/testing/servers/citus.ts';
import {
  dropDatabase,
  getDatabaseUrl,
  listDatabaseUrls,
  runOnEachServer,
} from '../../service/testing/servers/cluster.ts';
import { closeOnCitus, copyDatabase } from '../../service/testing/templates.ts';

interface InstallationStorage {
  /** Environment variables that point a service to the storage. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

let clusterStart: Promise<{ url: string }> | undefined;

/** Returns the given PostgreSQL cluster, or starts one that ends with this process, for a manual `playwright test`. */
async function getClusterUrl(): Promise<string> {
  const givenUrl = process.env['TEST_DATABASE_URL'];
  if (givenUrl) return givenUrl;
  clusterStart ??= startPostgres();
  return (await clusterStart).url;
}

/**
 * Creates storage: empty, or a copy of the storage of a stopped service. STEWARD_E2E_DATABASE: embedded or postgres; STEWARD_TEST_CITUS=1: a
 * cluster with Citus.
 */
export async function createStorage(
  original?: Readonly<Record<string, string>>,
): Promise<InstallationStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-e2e-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (original?.['DATA_DIR'])
    await cp(original['DATA_DIR'], folder, {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      // A service that ended leaves the socket of its lock, which cannot be copied.
      filter: (source) => basename(source) !== 'lock',
    });
  if (process.env['STEWARD_E2E_DATABASE'] !== 'postgres' && !isOnCitus)
    return { env: { DATA_DIR: folder }, remove: removeFolder };
  process.env['TEST_DATABASE_URL'] = await getClusterUrl();
  const name = `steward_e2e_${randomBytes(6).toString('hex')}`;
  const template = original?.['DATABASE_URL'] && new URL(original['DATABASE_URL']).pathname.slice(1);
  if (template && isOnCitus) await closeOnCitus(template);
  if (template) await copyDatabase(template, name);
  else await runOnEachServer(`create database ${name}`);
  if (!template && isOnCitus) await distributeDatabase(listDatabaseUrls(name), folder);
  return {
    env: { DATA_DIR: folder, DATABASE_URL: getDatabaseUrl(name) },
    async remove() {
      await dropDatabase(name);
      await removeFolder();
    },
  };
}
