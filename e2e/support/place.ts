/** An empty database and data folder for one installation. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOn, startPostgres } from '../../scripts/postgres.ts';

interface Place {
  /** The settings that lead a service there. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

let cluster: Promise<{ url: string }> | undefined;

/** The given cluster, or one of our own for `playwright test` by hand; it ends with this process. */
async function clusterUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return given;
  cluster ??= startPostgres();
  return (await cluster).url;
}

/** A place of its own: empty, or a copy of one where nobody is. STEWARD_E2E_DATABASE: embedded or postgres. */
export async function newPlace(original?: Readonly<Record<string, string>>): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-e2e-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (original?.['DATA_DIR'])
    await cp(original['DATA_DIR'], folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  if (process.env['STEWARD_E2E_DATABASE'] !== 'postgres')
    return { env: { DATA_DIR: folder }, remove: removeFolder };
  const name = `steward_e2e_${randomBytes(6).toString('hex')}`;
  const url = new URL(await clusterUrl());
  const template = original?.['DATABASE_URL'] && new URL(original['DATABASE_URL']).pathname.slice(1);
  await runOn(url.href, `create database ${name}${template ? ` template ${template}` : ''}`);
  const own = new URL(`/${name}`, url);
  return {
    env: { DATA_DIR: folder, DATABASE_URL: own.href },
    async remove() {
      await runOn(url.href, `drop database if exists ${name} with (force)`);
      await removeFolder();
    },
  };
}
