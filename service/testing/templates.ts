/**
 * Databases with the schema and nothing in it, made once in a run of the tests: a copy of one takes a twentieth of the
 * time of its making. What holds of the making itself is proved on empty places (kernel/db/migrate.test.ts).
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openDatabase } from '../kernel/db/database.ts';
import { databaseUrl, onCluster } from './cluster.ts';

const KEY = 'STEWARD_TEST_TEMPLATE';

/** The folder of the embedded one; the one on PostgreSQL is named like it. */
function folder(): string {
  const made = process.env[KEY];
  if (!made) throw new Error('The templates are made by the global set-up of the tests');
  return made;
}

const nameOf = (made: string) => basename(made).toLowerCase();

async function make(place: Parameters<typeof openDatabase>[0]): Promise<void> {
  const { close } = await openDatabase(place);
  await close();
}

/** Makes them for this process and those it starts; the returned function removes them. */
export async function makeTemplates(withPostgres: boolean): Promise<() => Promise<void>> {
  const made = await mkdtemp(join(tmpdir(), 'steward_template_'));
  process.env[KEY] = made;
  const name = nameOf(made);
  const makeOnPostgres = async () => {
    await onCluster(`create database ${name}`);
    await make({ databaseUrl: databaseUrl(name), dataDir: made });
  };
  await Promise.all([
    make({ databaseUrl: undefined, dataDir: made }),
    ...(withPostgres ? [makeOnPostgres()] : []),
  ]);
  return async () => {
    if (withPostgres) await onCluster(`drop database ${name}`);
    await rm(made, { recursive: true, force: true });
  };
}

/** Fills an empty data folder with a copy. */
export const copyToFolder = (dataDir: string): Promise<void> => cp(folder(), dataDir, { recursive: true });

/** Makes a database on PostgreSQL as a copy. */
export const copyToDatabase = (name: string): Promise<void> =>
  onCluster(`create database ${name} template ${nameOf(folder())}`);
