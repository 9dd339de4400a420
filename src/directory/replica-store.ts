import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import type { GroupInfoResponse } from '../../contract/generated/types.gen.ts';
import { isSameIdentity } from '../api/session-state.ts';
import type { SessionIdentity } from '../api/session-state.ts';
import { DATABASE_NAME } from './directory-session.ts';
import type { FacetCounts } from './engine/directory-query.ts';
import type { DirectoryQuery } from './engine/directory-query.ts';
import type { DirectoryRow } from './engine/row.ts';

/**
 * Result of the last query of a visit, stored so that the next visit shows it at once, while its worker starts and sorts
 * the people.
 */
export interface QuerySnapshot {
  /** `changedRevision` at the time of the query; the worker's own answer replaces the snapshot if it has another one. */
  changedRevision: number;
  /** The query, from `serializeQuery`. */
  queryKey: string;
  size: number;
  billable: number;
  ids: Int32Array;
  counts: FacetCounts;
  /** The first rows of the result. */
  rows: DirectoryRow[];
}

/** Serializes a query, to compare it with the one of a snapshot. */
export const serializeQuery = ({ q, filters, sort }: DirectoryQuery): string =>
  JSON.stringify([q, filters, sort]);

/** State of the replica as a whole. */
export interface ReplicaMeta extends SessionIdentity {
  groups: GroupInfoResponse[];
  /** False until all pages have been read once. */
  complete: boolean;
  /** Start of the last full read in ms since the epoch; reading changes alone does not reveal removed users. */
  asOf: number;
  /** Duration of the last full read in milliseconds. */
  fullReadMs: number;
  /** Time of the last refresh in ms since the epoch. */
  refreshedAt: number;
  /** Time of the last refresh by the service's clock; the next one reads the changes since. */
  serverClock: number;
  /** Grows with each write, so that a tab reads only newer blocks. */
  revision: number;
  /** Revision of the last write that changed users or groups. */
  changedRevision: number;
}

/** A block of users as stored: packed as text, which is fast to read for 100,000 users. */
export interface PackedBlock {
  key: number;
  revision: number;
  packed: string;
}

interface StoredChanges {
  meta: ReplicaMeta;
  /** Blocks written after the requested revision. */
  blocks: PackedBlock[];
  /** Keys of all existing blocks. */
  keys: number[];
}

/** The replica of one user and site in IndexedDB. */
export interface ReplicaStore {
  /** Reads the state and the block keys without the users. */
  readMeta: () => Promise<{ meta: ReplicaMeta; keys: number[] } | undefined>;
  /** Reads the blocks of a range of keys, both ends included. */
  readBlocks: (from: number, to: number) => Promise<PackedBlock[]>;
  readChangesAfter: (after: number) => Promise<StoredChanges | undefined>;
  saveSnapshot: (snapshot: QuerySnapshot) => Promise<unknown>;
  /** Writes atomically. */
  write: (meta: ReplicaMeta, put: readonly PackedBlock[], drop: readonly number[]) => Promise<void>;
  clear: () => Promise<void>;
  close: () => void;
}

interface ReplicaSchema extends DBSchema {
  meta: { key: 'meta'; value: ReplicaMeta };
  snapshot: { key: 'snapshot'; value: QuerySnapshot };
  people: { key: number; value: PackedBlock; indexes: { revision: number } };
}

const VERSION = 2;
const STORE_NAMES = ['meta', 'snapshot', 'people'] as const;

const clear = async (db: IDBPDatabase<ReplicaSchema>): Promise<void> => {
  const tx = db.transaction(STORE_NAMES, 'readwrite');
  await Promise.all([...STORE_NAMES.map((name) => tx.objectStore(name).clear()), tx.done]);
};

async function openReplicaDatabase(): Promise<IDBPDatabase<ReplicaSchema>> {
  const db = await openDB<ReplicaSchema>(DATABASE_NAME, VERSION, {
    upgrade(fresh) {
      for (const name of fresh.objectStoreNames) fresh.deleteObjectStore(name);
      fresh.createObjectStore('meta');
      fresh.createObjectStore('snapshot');
      fresh.createObjectStore('people', { keyPath: 'key' }).createIndex('revision', 'revision');
    },
    // A sign-out in another tab deletes the database; this tab continues in memory.
    blocking: () => db.close(),
  });
  return db;
}

/** Reads the snapshot of the last visit of this user to this site; the page does so while the worker starts. */
export async function readLastSnapshot(
  identity: SessionIdentity,
): Promise<{ meta: ReplicaMeta; snapshot: QuerySnapshot } | undefined> {
  const db = await openReplicaDatabase();
  try {
    const tx = db.transaction(['meta', 'snapshot']);
    const [meta, snapshot] = await Promise.all([
      tx.objectStore('meta').get('meta'),
      tx.objectStore('snapshot').get('snapshot'),
    ]);
    return meta && snapshot && isSameIdentity(meta, identity) ? { meta, snapshot } : undefined;
  } finally {
    db.close();
  }
}

/** Opens the stored replica of this user and site; one of another user or site is cleared. */
export async function openReplicaStore(identity: SessionIdentity): Promise<ReplicaStore> {
  const db = await openReplicaDatabase();
  const previousMeta = await db.get('meta', 'meta');
  if (previousMeta && !isSameIdentity(previousMeta, identity)) await clear(db);
  return {
    async readMeta() {
      const tx = db.transaction(['meta', 'people']);
      const [meta, keys] = await Promise.all([
        tx.objectStore('meta').get('meta'),
        tx.objectStore('people').getAllKeys(),
      ]);
      return meta && { meta, keys };
    },
    readBlocks: (from, to) => db.getAll('people', IDBKeyRange.bound(from, to)),
    saveSnapshot: (snapshot) => db.put('snapshot', snapshot, 'snapshot'),
    async readChangesAfter(after) {
      const tx = db.transaction(['meta', 'people']);
      const people = tx.objectStore('people');
      const [meta, blocks, keys] = await Promise.all([
        tx.objectStore('meta').get('meta'),
        after === 0 ? people.getAll() : people.index('revision').getAll(IDBKeyRange.lowerBound(after, true)),
        people.getAllKeys(),
      ]);
      return meta && { meta, blocks, keys };
    },
    async write(meta, put, drop) {
      const tx = db.transaction(['meta', 'people'], 'readwrite', { durability: 'relaxed' });
      const people = tx.objectStore('people');
      await Promise.all([
        tx.objectStore('meta').put(meta, 'meta'),
        ...put.map((block) => people.put(block)),
        ...drop.map((key) => people.delete(key)),
        tx.done,
      ]);
    },
    clear: () => clear(db),
    close: () => db.close(),
  };
}
