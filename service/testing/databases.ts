/** Databases for tests: the same block runs on the embedded database and on PostgreSQL. */
/** Databases for tests: the same block runs on the embedded database and on PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, dirname } from 'node:path';
/**
 * The program of the embedded database, compiled once in a process: V8 shares its machine code between threads only while
 * somebody holds it. Without that each database of the tests, having a thread of its own, has the same functions compiled
 * anew, which takes as long as the tests themselves.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Database, openDatabase } from '../kernel/db/database.ts';
import { databaseUrl, onCluster } from './cluster.ts';
import { copyToDatabase, copyToFolder } from './templates.ts';

type Kind = Database['kind'];

/** Where a new database is: what openDatabase takes, and how to be rid of it. */
export interface Place {
  databaseUrl: string | undefined;
  dataDir: string;
  remove: () => Promise<void>;
}

/** Which databases the tests run on; STEWARD_TEST_DATABASES=embedded leaves PostgreSQL out. */
const kinds: readonly Kind[] =
  process.env.STEWARD_TEST_DATABASES === 'embedded' ? ['embedded'] : ['embedded', 'postgres'];

/**
 * A place of the kind with a new database: a temporary folder, and for PostgreSQL a database of its own. The database has
 * the schema and nothing in it; `empty` leaves the schema to whoever opens it first.
 */
export async function newPlace(kind: Kind, { empty = false } = {}): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-test-'));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  if (kind === 'embedded') {
    holdProgram();
    if (!empty) await copyToFolder(dataDir);
    return { databaseUrl: undefined, dataDir, remove: removeFolder };
  }
  const name = `steward_test_${randomBytes(6).toString('hex')}`;
  await (empty ? onCluster(`create database ${name}`) : copyToDatabase(name));
  const remove = async () => {
    await onCluster(`drop database if exists ${name} with (force)`);
    await removeFolder();
  };
  return { databaseUrl: databaseUrl(name), dataDir, remove };
}

/** Runs the block once on each kind of database, for tests that open it themselves. */
export function onEachKind(block: (kind: Kind) => void): void {
  for (const kind of kinds) {
    describe(`on ${kind}`, () => {
      block(kind);
    });
  }
}

/**
 * Runs the block on each kind of database, migrated and empty at the block's start. Call the given function
 * inside tests and hooks: it returns the block's open database.
 */
export function onEachDatabase(block: (database: () => Database) => void): void {
  onEachKind((kind) => {
    let place: Place | undefined;
    let opened: Database | undefined;
    beforeAll(async () => {
      place = await newPlace(kind);
      opened = await openDatabase(place);
    });
    afterAll(async () => {
      await opened?.close();
      await place?.remove();
    });
    block(() => {
      if (!opened) throw new Error('The database is open only inside tests and hooks');
      return opened;
    });
  });
}

/** Node has it; its types leave it to the browser's. */
declare const WebAssembly: { Module: new (program: Uint8Array) => object };

let held: object | undefined;

/** Holds it for as long as this process lives. */
function holdProgram(): void {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  held ??= new WebAssembly.Module(readFileSync(join(folder, 'pglite.wasm')));
}
