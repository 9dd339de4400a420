import type { SessionIdentity } from '../api/session-state.ts';
import { createBlocks } from './blocks.ts';
import type { DirectoryRow } from './engine/row.ts';
import { pack, unpack } from './pack-rows.ts';
import { createPeopleIndex } from './people-index.ts';
import type { PeopleIndex } from './people-index.ts';
import type { QuerySnapshot, ReplicaMeta, PackedBlock, ReplicaStore } from './replica-store.ts';
import { openReplicaStore } from './replica-store.ts';

/** A change of the replica; omitted parts stay unchanged. */
export interface ReplicaChange {
  rows?: readonly DirectoryRow[];
  removedIds?: readonly number[];
  meta?: Partial<Omit<ReplicaMeta, keyof SessionIdentity | 'revision' | 'changedRevision'>>;
}

const EMPTY_META = {
  groups: [],
  complete: false,
  asOf: 0,
  fullReadMs: 0,
  refreshedAt: 0,
  serverClock: 0,
  revision: 0,
  changedRevision: 0,
};

// The worker answers queries between two reads.
const BLOCKS_PER_READ = 8;

/** The users of one site as one user may see them: in memory for queries, and in IndexedDB for the next visit. */
export interface Replica {
  readonly index: PeopleIndex;
  readonly meta: ReplicaMeta;
  /** Loads the stored users into memory. @throws Error if some of them cannot be read */
  load: () => Promise<void>;
  saveSnapshot: (snapshot: QuerySnapshot) => Promise<void>;
  /** Runs a function while no other tab runs one of the same name. */
  runExclusive: TabChannel['runExclusive'];
  /** Loads what other tabs have written since; true if there was anything. */
  loadRemoteChanges: () => Promise<boolean>;
  /** Changes memory and storage and notifies other tabs. The replica is up to date when `decide` is called. */
  applyChange: (decide: () => ReplicaChange) => Promise<void>;
  /** Removes all users from memory and storage. */
  clear: () => Promise<void>;
}

/** Opens the replica of a user and site; `onRemoteChange` is called after another tab has written. */
export async function openReplica(identity: SessionIdentity, onRemoteChange: () => void): Promise<Replica> {
  // Without locks, two tabs could write the same records at once.
  let store: ReplicaStore | undefined =
    'locks' in navigator ? await openReplicaStore(identity).catch(() => undefined) : undefined;
  const channel = store ? createTabChannel(onRemoteChange) : createLocalChannel();
  const index = createPeopleIndex();
  const blocks = createBlocks();
  let meta: ReplicaMeta = { ...identity, ...EMPTY_META };

  /** Uses the store; after an error (no space, deleted at sign-out in another tab) the replica is in memory only. */
  async function withStore<Result>(
    work: (open: ReplicaStore) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return store && (await work(store));
    } catch {
      store?.close();
      store = undefined;
      channel.close();
      return undefined;
    }
  }

  const stored = await withStore((open) => open.readMeta());
  if (stored) {
    ({ meta } = stored);
    index.setGroups(meta.groups);
  }

  function applyBlocks(packed: readonly PackedBlock[], present: readonly number[]): void {
    const writtenBlocks = packed.map((block) => ({ key: block.key, rows: unpack(block.packed) }));
    const removedIds = blocks.take(
      writtenBlocks.map(({ key, rows }) => ({ key, ids: Int32Array.from(rows, ({ id }) => id) })),
      present,
    );
    index.remove(removedIds);
    index.upsert(writtenBlocks.flatMap(({ rows }) => rows));
  }

  async function load(): Promise<void> {
    const keys = stored?.keys ?? [];
    for (let at = 0; at < keys.length; at += BLOCKS_PER_READ) {
      const [from = 0, to = from] = [keys[at], keys[Math.min(at + BLOCKS_PER_READ, keys.length) - 1]];
      // Sequential reads leave the worker free for queries in between.
      const packed = await withStore((open) => open.readBlocks(from, to));
      // Some of the users must not pass for all of them, as the state that was read says.
      if (!packed) throw new Error('The stored users could not be read');
      applyBlocks(packed, keys);
    }
    await loadRemoteChanges();
  }

  async function loadRemoteChanges(): Promise<boolean> {
    const changes = await withStore((open) => open.readChangesAfter(meta.revision));
    if (!changes || changes.meta.revision <= meta.revision) return false;
    applyBlocks(changes.blocks, changes.keys);
    index.setGroups(changes.meta.groups);
    ({ meta } = changes);
    return true;
  }

  async function write({ rows = [], removedIds = [], meta: patch }: ReplicaChange): Promise<void> {
    index.upsert(rows);
    index.remove(removedIds);
    if (patch?.groups) index.setGroups(patch.groups);
    const revision = meta.revision + 1;
    const isChange = rows.length > 0 || removedIds.length > 0 || patch?.groups !== undefined;
    meta = { ...meta, ...patch, revision, changedRevision: isChange ? revision : meta.changedRevision };
    const { put, drop } = blocks.change(
      rows.map(({ id }) => id),
      removedIds,
    );
    await withStore(async (open) => {
      const packed = put.map(({ key, ids }) => ({ key, revision, packed: pack(index.getRows(ids)) }));
      await open.write(meta, packed, drop);
      channel.notifyTabs();
    });
  }

  return {
    index,
    load,
    async saveSnapshot(snapshot) {
      await withStore((open) => open.saveSnapshot(snapshot));
    },
    get meta() {
      return meta;
    },
    runExclusive: (name, run) => channel.runExclusive(name, run),
    loadRemoteChanges,
    applyChange: (decide) =>
      channel.runExclusive('write', async () => {
        await loadRemoteChanges();
        await write(decide());
      }),
    async clear() {
      index.remove(index.getIds());
      blocks.take([], []);
      meta = { ...identity, ...EMPTY_META };
      await withStore((open) => open.clear());
    },
  };
}

/** Mutual exclusion and change notification between the tabs of one browser. */
interface TabChannel {
  /** Runs a function while no function of the same name runs in any tab. */
  runExclusive: <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;
  notifyTabs: () => void;
  close: () => void;
}

const CHANNEL_NAME = 'steward-directory';

/** Channel of a tab without shared storage: serializes only its own runs. */
function createLocalChannel(): TabChannel {
  const queues = new Map<string, Promise<unknown>>();
  return {
    async runExclusive(name, run) {
      const previous = queues.get(name) ?? Promise.resolve();
      const result = previous.then(run);
      queues.set(
        name,
        result.catch(() => undefined),
      );
      return result;
    },
    notifyTabs: () => undefined,
    close: () => undefined,
  };
}

/**
 * Channel between tabs; `onRemoteChange` is called when another tab has written. Without the Web Locks API (missing on
 * pages not served over HTTPS) a tab shares nothing.
 */
function createTabChannel(onRemoteChange: () => void): TabChannel {
  if (!('locks' in navigator)) return createLocalChannel();
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.addEventListener('message', onRemoteChange);
  return {
    // The browser releases a lock when its tab closes or crashes.
    runExclusive: (name, run) => navigator.locks.request(`${CHANNEL_NAME}-${name}`, run),
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches only this origin
    notifyTabs: () => channel.postMessage('written'),
    close: () => channel.close(),
  };
}
