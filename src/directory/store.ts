import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import type { GroupInfoResponse } from '../api/generated/types.gen.ts';
import { isSameHolder } from '../api/session-gate.ts';
import type { Holder } from '../api/session-gate.ts';
import { DATABASE } from './drop.ts';
import type { Glance } from './glance.ts';

/** What is known of the copy as a whole. */
export interface Meta extends Holder {
  groups: GroupInfoResponse[];
  /** False until the last page has been read once. */
  complete: boolean;
  /** When the last reading of everything began: changes alone do not tell who was removed since. */
  asOf: number;
  /** How long that reading took, in milliseconds. */
  took: number;
  /** When the copy was last brought up to date. */
  checked: number;
  /** The same moment by the clock of the service; what has changed since is asked for by it. */
  clock: number;
  /** Grows with each write: a tab reads only what is newer than what it has. */
  revision: number;
  /** The last write that changed people or groups. */
  changed: number;
}

/** Some people as they are kept: packed, for a hundred thousand are read at once. */
export interface PackedBlock {
  key: number;
  revision: number;
  packed: string;
}

interface Kept {
  meta: Meta;
  /** Those written after the asked revision. */
  blocks: PackedBlock[];
  /** Of all blocks there are. */
  keys: number[];
}

export interface Store {
  /** What is known without the people. */
  open: () => Promise<{ meta: Meta; keys: number[] } | undefined>;
  /** The blocks from one key to another. */
  readBlocks: (from: number, to: number) => Promise<PackedBlock[]>;
  read: (after: number) => Promise<Kept | undefined>;
  keepGlance: (glance: Glance) => Promise<unknown>;
  /** All of it or nothing. */
  write: (meta: Meta, put: readonly PackedBlock[], drop: readonly number[]) => Promise<void>;
  clear: () => Promise<void>;
  close: () => void;
}

interface Schema extends DBSchema {
  meta: { key: 'meta'; value: Meta };
  glance: { key: 'glance'; value: Glance };
  people: { key: number; value: PackedBlock; indexes: { revision: number } };
}

const VERSION = 1;
const STORES = ['meta', 'glance', 'people'] as const;

const clear = async (db: IDBPDatabase<Schema>): Promise<void> => {
  const tx = db.transaction(STORES, 'readwrite');
  await Promise.all([...STORES.map((name) => tx.objectStore(name).clear()), tx.done]);
};

async function openKept(): Promise<IDBPDatabase<Schema>> {
  const db = await openDB<Schema>(DATABASE, VERSION, {
    upgrade(fresh) {
      for (const name of fresh.objectStoreNames) fresh.deleteObjectStore(name);
      fresh.createObjectStore('meta');
      fresh.createObjectStore('glance');
      fresh.createObjectStore('people', { keyPath: 'key' }).createIndex('revision', 'revision');
    },
    // Somebody signs out: whoever stays on this page has it in memory only.
    blocking: () => db.close(),
  });
  return db;
}

/** What this person looked at last on this site, without the people: the page reads it while the worker starts. */
export async function lookBack(holder: Holder): Promise<{ meta: Meta; glance: Glance } | undefined> {
  const db = await openKept();
  try {
    const tx = db.transaction(['meta', 'glance']);
    const [meta, glance] = await Promise.all([
      tx.objectStore('meta').get('meta'),
      tx.objectStore('glance').get('glance'),
    ]);
    return meta && glance && isSameHolder(meta, holder) ? { meta, glance } : undefined;
  } finally {
    db.close();
  }
}

/** Opens what this person's earlier visit to this site left in the browser; what somebody else left is removed. */
export async function openStore(holder: Holder): Promise<Store> {
  const db = await openKept();
  const left = await db.get('meta', 'meta');
  if (left && !isSameHolder(left, holder)) await clear(db);
  return {
    async open() {
      const tx = db.transaction(['meta', 'people']);
      const [meta, keys] = await Promise.all([
        tx.objectStore('meta').get('meta'),
        tx.objectStore('people').getAllKeys(),
      ]);
      return meta && { meta, keys };
    },
    readBlocks: (from, to) => db.getAll('people', IDBKeyRange.bound(from, to)),
    keepGlance: (glance) => db.put('glance', glance, 'glance'),
    async read(after) {
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
