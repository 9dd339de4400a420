/**
 * Migrated databases without rows, created once per test run: copying one takes a twentieth of the time of creating it. The
 * migrations themselves are tested on empty databases (kernel/db/migrate.test.ts).
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CLUSTER_SETTINGS } from '../kernel/db/cluster.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { distributeDatabase, isOnCitus } from './servers/citus.ts';
import { getDatabaseUrl, listDatabaseUrls, runOnCluster, runOnEachServer } from './servers/cluster.ts';

const TEMPLATE_VARIABLE = 'STEWARD_TEST_TEMPLATE';

/** Folder of the embedded template; the PostgreSQL template has the same name. */
function getTemplateFolder(): string {
  const folder = process.env[TEMPLATE_VARIABLE];
  if (!folder) throw new Error('The templates are created by the global setup of the tests');
  return folder;
}

const getTemplateDatabaseName = (folder: string) => basename(folder).toLowerCase();

async function migrateDatabase(options: Parameters<typeof openDatabase>[0]): Promise<void> {
  const { close } = await openDatabase(options);
  await close();
}

/** Creates a template on all servers of a cluster with Citus. */
async function createOnCitus(name: string, dataDir: string): Promise<void> {
  await distributeDatabase(listDatabaseUrls(name), dataDir);
  await closeOnCitus(name);
}

/** Ends the process that Citus has in a database on each server: it is a connection, with which a database cannot be copied. */
export async function closeOnCitus(name: string): Promise<void> {
  await runOnEachServer(`alter database ${name} allow_connections false`);
  await runOnEachServer(
    `select pg_terminate_backend(pid, 20000) from pg_stat_activity where datname = '${name}'`,
  );
}

/** Creates the templates for this process and its child processes; the returned function removes them. */
export async function createTemplates(withPostgres: boolean): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'steward_template_'));
  process.env[TEMPLATE_VARIABLE] = folder;
  const name = getTemplateDatabaseName(folder);
  const createOnPostgres = async () => {
    await runOnEachServer(`create database ${name}`);
    if (isOnCitus) await createOnCitus(name, folder);
    else await migrateDatabase({ databaseUrl: getDatabaseUrl(name), dataDir: folder });
  };
  await Promise.all([
    migrateDatabase({ databaseUrl: undefined, dataDir: folder }),
    ...(withPostgres ? [createOnPostgres()] : []),
  ]);
  return async () => {
    if (withPostgres) await runOnEachServer(`drop database ${name}`);
    await rm(folder, { recursive: true, force: true });
  };
}

/** Copies the embedded template into an empty data folder. */
export const copyTemplateToFolder = (dataDir: string): Promise<void> =>
  cp(getTemplateFolder(), dataDir, { recursive: true });

/** Creates a PostgreSQL database as a copy of the template; on a cluster with Citus on each server. */
export const copyTemplateToDatabase = (name: string): Promise<void> =>
  copyDatabase(getTemplateDatabaseName(getTemplateFolder()), name);

/**
 * Creates a PostgreSQL database as a copy of the files of another one without connections, which takes less than copying it through the
 * log; on a cluster with Citus on each server.
 */
export async function copyDatabase(template: string, name: string): Promise<void> {
  await runOnEachServer(`create database ${name} template ${template} strategy file_copy`);
  // A copy does not get the settings of its template.
  if (isOnCitus)
    for (const setting of CLUSTER_SETTINGS) await runOnCluster(`alter database ${name} set ${setting}`);
}
