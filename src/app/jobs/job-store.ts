import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import { isSameIdentity } from '../../api/session-state.ts';
import type { SessionIdentity } from '../../api/session-state.ts';
import { splitIntoChunks } from '../../lib/chunks.ts';
import { JOB_DATABASE_NAME } from './jobs.ts';

/** Properties common to all stored jobs. */
interface StoredJob {
  id: string;
  /** Session that started the job; it is visible to no other one. */
  identity: SessionIdentity;
}

interface StoredPart {
  jobId: string;
  list: readonly unknown[];
}

interface JobDatabaseSchema extends DBSchema {
  jobs: { key: string; value: StoredJob & { kind: string; job: unknown } };
  items: { key: number; value: StoredPart; indexes: { jobId: string } };
  outcomes: { key: number; value: StoredPart; indexes: { jobId: string } };
}

const VERSION = 3;
const PART_STORES = ['items', 'outcomes'] as const;
const MAX_PART_ITEMS = 1000;
let openDatabase: Promise<IDBPDatabase<JobDatabaseSchema>> | undefined;

function openJobDatabase(): Promise<IDBPDatabase<JobDatabaseSchema>> {
  if (openDatabase) return openDatabase;
  const opening = openDB<JobDatabaseSchema>(JOB_DATABASE_NAME, VERSION, {
    upgrade(db) {
      for (const name of db.objectStoreNames) db.deleteObjectStore(name);
      db.createObjectStore('jobs', { keyPath: 'id' });
      for (const name of PART_STORES)
        db.createObjectStore(name, { autoIncrement: true }).createIndex('jobId', 'jobId');
    },
    // A sign-out in another tab deletes the database.
    blocking: (_, __, event) => {
      openDatabase = undefined;
      if (event.target instanceof IDBDatabase) event.target.close();
    },
  });
  openDatabase = opening;
  // The next call opens it again, for example when the disk is no longer full.
  opening.catch(() => {
    if (openDatabase === opening) openDatabase = undefined;
  });
  return opening;
}

async function deleteParts(id: string, names: readonly (typeof PART_STORES)[number][]): Promise<void> {
  const tx = (await openJobDatabase()).transaction(PART_STORES, 'readwrite');
  for (const name of names) {
    const store = tx.objectStore(name);
    // Two stores of one transaction.
    const keys = await store.index('jobId').getAllKeys(id);
    // Two stores of one transaction.
    await Promise.all(keys.map((key) => store.delete(key)));
  }
  await tx.done;
}

async function deleteJob(id: string): Promise<void> {
  // Deleted first, so that a stored job is always complete.
  await (await openJobDatabase()).delete('jobs', id);
  await deleteParts(id, PART_STORES);
}

const readParts = async (name: (typeof PART_STORES)[number], id: string): Promise<unknown[]> =>
  (await (await openJobDatabase()).getAllFromIndex(name, 'jobId', id)).flatMap(({ list }) => list);

/** Stores jobs of one kind in IndexedDB, so that they survive a reload; deleted at sign-out. */
export interface JobStore<Job extends StoredJob, Item, Outcome> {
  /**
   * Saves a job before its start, in parts, because writing 100,000 items at once would block the page. Jobs started
   * while acting for a principal are not saved, unless the store is created with `whileActing`.
   */
  save: (job: Job, items: readonly Item[]) => Promise<void>;
  /** Adds outcomes of items of a saved job; those of a job that is not stored are ignored. */
  addOutcomes: (id: string, outcomes: readonly Outcome[]) => Promise<void>;
  /** Loads the jobs of a session; jobs of other users and of acting that has ended are deleted. */
  loadJobs: (identity: SessionIdentity) => Promise<Job[]>;
  loadItems: (id: string) => Promise<Item[]>;
  /** Loads the jobs of a session with their items and outcomes. */
  loadAll: (identity: SessionIdentity) => Promise<{ job: Job; items: Item[]; outcomes: Outcome[] }[]>;
  deleteItems: (id: string) => Promise<void>;
  delete: (id: string) => Promise<void>;
}

interface JobStoreOptions {
  /**
   * Also stores what is started while acting. It is loaded again only under the same acting report, so it must be
   * something that sends nothing by itself.
   */
  whileActing?: boolean;
}

/** Whether a stored job can no longer be continued by anyone in this browser. */
const isAbandoned = (job: SessionIdentity, current: SessionIdentity): boolean =>
  job.userId !== current.userId || (job.reportId !== undefined && job.reportId !== current.reportId);

/** Creates the store of one kind of jobs. */
export function createJobStore<Job extends StoredJob, Item, Outcome = never>(
  kind: string,
  { whileActing = false }: JobStoreOptions = {},
): JobStore<Job, Item, Outcome> {
  async function loadJobs(identity: SessionIdentity): Promise<Job[]> {
    const all = await (await openJobDatabase()).getAll('jobs');
    const abandoned = all.filter((job) => isAbandoned(job.identity, identity));
    await Promise.all(abandoned.map(({ id }) => deleteJob(id)));
    // A job does not continue under another acting identity (spec 2.3).
    const ownJobs = all.filter((job) => job.kind === kind && isSameIdentity(job.identity, identity));
    // Jobs of a kind are saved with this type.
    return ownJobs.map(({ job }) => job as Job);
  }
  const loadItems = async (id: string) => (await readParts('items', id)) as Item[];
  const loadOutcomes = async (id: string) => (await readParts('outcomes', id)) as Outcome[];
  return {
    async save(job, items) {
      if (job.identity.reportId !== undefined && !whileActing) return;
      const db = await openJobDatabase();
      for (const list of splitIntoChunks(items, MAX_PART_ITEMS)) {
        // Parts are written one after the other, see `save`.
        await db.add('items', { jobId: job.id, list });
      }
      // Written last, so that a stored job is always complete, and committed explicitly, as an open transaction is rolled back
      // when the page closes.
      const tx = db.transaction('jobs', 'readwrite');
      const put = tx.store.put({ id: job.id, identity: job.identity, kind, job });
      tx.commit();
      await Promise.all([put, tx.done]);
    },
    async addOutcomes(id, outcomes) {
      const tx = (await openJobDatabase()).transaction(['jobs', 'outcomes'], 'readwrite');
      const isStored = (await tx.objectStore('jobs').getKey(id)) !== undefined;
      if (isStored) await tx.objectStore('outcomes').add({ jobId: id, list: outcomes });
      await tx.done;
    },
    loadJobs,
    loadItems,
    async loadAll(identity) {
      const storedJobs = await loadJobs(identity);
      return Promise.all(
        storedJobs.map(async (job) => ({
          job,
          items: await loadItems(job.id),
          outcomes: await loadOutcomes(job.id),
        })),
      );
    },
    deleteItems: (id) => deleteParts(id, ['items']),
    delete: deleteJob,
  };
}

const releases = new Map<string, () => void>();

/** Time to wait for the locks of the page that a reload replaces. */
const LOCK_TIMEOUT_MS = 1000;

/** Locks a job for this tab; false if another tab has it. Always true without the Web Locks API. */
export function lockJob(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const holdLock = () => {
      resolve(true);
      return new Promise<void>((release) => releases.set(id, release));
    };
    const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS);
    navigator.locks.request(`steward-bulk-${id}`, { signal }, holdLock).catch(() => resolve(false));
  });
}

/** Releases the lock of a job. */
export function unlockJob(id: string): void {
  releases.get(id)?.();
  releases.delete(id);
}
