import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import type { GroupInfoResponse } from '../../contract/generated/types.gen.ts';
import { isSameIdentity } from '../api/session-state.ts';
import type { SessionIdentity } from '../api/session-state.ts';
import { DATABASE_NAME } from './directory-session.ts';
import { FILTER_KEYS } from './engine/directory-query.ts';
import type { DirectoryQuery, FacetCounts } from './engine/directory-query.ts';
import type { DirectoryRow } from './engine/row.ts';

/**
 * Result of one of the last queries, stored so that the next visit shows it at once, while its worker starts and sorts
 * the people.
 */
export interface QuerySnapshot {
  /** The query, from `serializeQuery`. */
  queryKey: string;
  savedAt: number;
  /** `changedRevision` at the time of the query; the worker's own answer replaces the snapshot if it has another one. */
  changedRevision: number;
  /** Start of the last full read at the time of the query. */
  asOf: number;
  size: number;
  billable: number;
  ids: Int32Array;
  counts: FacetCounts;
  /** The first rows of the result. */
  rows: DirectoryRow[];
}

/** Serializes a query, to compare it with the one of a snapshot. */
export const serializeQuery = ({ q, filters, sort }: DirectoryQuery): string =>
  JSON.stringify([q, FILTER_KEYS.map((key) => filters[key]), sort.by, sort.descending]);

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
  /** Saves a snapshot; with more than `MAX_SNAPSHOTS`, the oldest is deleted. */
  saveSnapshot: (snapshot: QuerySnapshot) => Promise<void>;
  /** Writes atomically. */
  write: (meta: ReplicaMeta, put: readonly PackedBlock[], drop: readonly number[]) => Promise<void>;
  clear: () => Promise<void>;
  close: () => void;
}

interface ReplicaSchema extends DBSchema {
  meta: { key: 'meta'; value: ReplicaMeta };
  snapshot: { key: string; value: QuerySnapshot; indexes: { savedAt: number } };
  people: { key: number; value: PackedBlock; indexes: { revision: number } };
}

const VERSION = 3;
const STORE_NAMES = ['meta', 'snapshot', 'people'] as const;
/** Users, licenses, matrix and two groups; of 100,000 users each takes up to 400 KB. */
const MAX_SNAPSHOTS = 5;

const clear = async (db: IDBPDatabase<ReplicaSchema>): Promise<void> => {
  const tx = db.transaction(STORE_NAMES, 'readwrite');
  await Promise.all([...STORE_NAMES.map((name) => tx.objectStore(name).clear()), tx.done]);
};

async function openReplicaDatabase(): Promise<IDBPDatabase<ReplicaSchema>> {
  const db = await openDB<ReplicaSchema>(DATABASE_NAME, VERSION, {
    upgrade(fresh) {
      for (const name of fresh.objectStoreNames) fresh.deleteObjectStore(name);
      fresh.createObjectStore('meta');
      fresh.createObjectStore('snapshot', { keyPath: 'queryKey' }).createIndex('savedAt', 'savedAt');
      fresh.createObjectStore('people', { keyPath: 'key' }).createIndex('revision', 'revision');
    },
    // A sign-out in another tab deletes the database; this tab continues in memory.
    blocking: () => db.close(),
  });
  return db;
}

/** The state and the snapshots that may be shown until the worker answers; `last` is the latest. */
export interface StoredSnapshots {
  meta: ReplicaMeta;
  last: QuerySnapshot;
  snapshots: QuerySnapshot[];
}

/**
 * Reads the snapshots of this user on this site; the page does so while the worker starts. Except for the last one, a snapshot from before
 * the last full read is omitted if users have changed since: the page says that it is as of that read.
 */
export async function readSnapshots(identity: SessionIdentity): Promise<StoredSnapshots | undefined> {
  const db = await openReplicaDatabase();
  try {
    const tx = db.transaction(['meta', 'snapshot']);
    const [meta, saved] = await Promise.all([
      tx.objectStore('meta').get('meta'),
      tx.objectStore('snapshot').index('savedAt').getAll(),
    ]);
    const last = saved.at(-1);
    if (!meta || !last || !isSameIdentity(meta, identity)) return undefined;
    const snapshots = saved.filter(
      (one) => one === last || one.asOf === meta.asOf || one.changedRevision === meta.changedRevision,
    );
    return { meta, last, snapshots };
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
    async saveSnapshot(snapshot) {
      const tx = db.transaction('snapshot', 'readwrite');
      await tx.store.put(snapshot);
      const [oldest = '', ...others] = await tx.store.index('savedAt').getAllKeys();
      if (others.length >= MAX_SNAPSHOTS) await tx.store.delete(oldest);
    },
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
