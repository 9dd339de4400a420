/** Creates the database and data folder of one installation. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStatement, startPostgres } from '../../scripts/testing/postgres.ts';

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

/** Creates storage: empty, or a copy of the storage of a stopped service. STEWARD_E2E_DATABASE: embedded or postgres. */
export async function createStorage(
  original?: Readonly<Record<string, string>>,
): Promise<InstallationStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-e2e-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (original?.['DATA_DIR'])
    await cp(original['DATA_DIR'], folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  if (process.env['STEWARD_E2E_DATABASE'] !== 'postgres')
    return { env: { DATA_DIR: folder }, remove: removeFolder };
  const name = `steward_e2e_${randomBytes(6).toString('hex')}`;
  const url = new URL(await getClusterUrl());
  const template = original?.['DATABASE_URL'] && new URL(original['DATABASE_URL']).pathname.slice(1);
  await runStatement(url.href, `create database ${name}${template ? ` template ${template}` : ''}`);
  const databaseUrl = new URL(`/${name}`, url);
  return {
    env: { DATA_DIR: folder, DATABASE_URL: databaseUrl.href },
    async remove() {
      await runStatement(url.href, `drop database if exists ${name} with (force)`);
      await removeFolder();
    },
  };
}
