import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import { isSameHolder } from '../../api/session-gate.ts';
import type { Holder } from '../../api/session-gate.ts';
import { chunks } from '../../areas/bulk/calls.ts';
import { DATABASE } from '../../areas/bulk/drop.ts';

/** What is known of long work without what it is about and what came of it. */
interface Head {
  id: string;
  /** Who began it, and where: nobody else sees it. */
  holder: Holder;
}

interface Part {
  jobId: string;
  list: readonly unknown[];
}

interface Schema extends DBSchema {
  jobs: { key: string; value: Head & { kind: string; job: unknown } };
  items: { key: number; value: Part; indexes: { jobId: string } };
  outcomes: { key: number; value: Part; indexes: { jobId: string } };
}

const VERSION = 2;
const PARTS = ['items', 'outcomes'] as const;
const PART = 1000;
let opened: Promise<IDBPDatabase<Schema>> | undefined;

function open(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>(DATABASE, VERSION, {
    upgrade(db) {
      for (const name of db.objectStoreNames) db.deleteObjectStore(name);
      db.createObjectStore('jobs', { keyPath: 'id' });
      for (const name of PARTS)
        db.createObjectStore(name, { autoIncrement: true }).createIndex('jobId', 'jobId');
    },
    // Another tab signs out and deletes everything.
    blocking: (_, __, event) => {
      opened = undefined;
      if (event.target instanceof IDBDatabase) event.target.close();
    },
  });
  return opened;
}

async function dropParts(id: string, names: readonly (typeof PARTS)[number][]): Promise<void> {
  const tx = (await open()).transaction(PARTS, 'readwrite');
  for (const name of names) {
    const store = tx.objectStore(name);
    // oxlint-disable-next-line no-await-in-loop -- two stores of one transaction
    const keys = await store.index('jobId').getAllKeys(id);
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all(keys.map((key) => store.delete(key)));
  }
  await tx.done;
}

async function drop(id: string): Promise<void> {
  // First: a job that is there is there whole.
  await (await open()).delete('jobs', id);
  await dropParts(id, PARTS);
}

const readParts = async (name: (typeof PARTS)[number], id: string): Promise<unknown[]> =>
  (await (await open()).getAllFromIndex(name, 'jobId', id)).flatMap(({ list }) => list);

/** Where long work of one kind is kept over a reload, until it is dropped or its person signs out. */
export interface Shelf<Job extends Head, Item, Outcome> {
  /** Keeps a job before it begins. In parts: a hundred thousand items at once would hold the page up. */
  put: (job: Job, items: readonly Item[]) => Promise<void>;
  /** Notes what came of some items. */
  note: (id: string, outcomes: readonly Outcome[]) => Promise<void>;
  /** What this person has here on this site; what other people have is dropped. */
  jobs: (holder: Holder) => Promise<Job[]>;
  items: (id: string) => Promise<Item[]>;
  /** The same with their items, and what came of them so far. */
  whole: (holder: Holder) => Promise<{ job: Job; items: Item[]; outcomes: Outcome[] }[]>;
  dropItems: (id: string) => Promise<void>;
  drop: (id: string) => Promise<void>;
}

export function createShelf<Job extends Head, Item, Outcome = never>(
  kind: string,
): Shelf<Job, Item, Outcome> {
  async function jobs(holder: Holder): Promise<Job[]> {
    const all = await (await open()).getAll('jobs');
    const others = all.filter((job) => job.holder.userId !== holder.userId);
    await Promise.all(others.map(({ id }) => drop(id)));
    // What was begun in one name does not go on in another.
    const mine = all.filter((job) => job.kind === kind && isSameHolder(job.holder, holder));
    // What is kept under a kind was put there as this type.
    return mine.map(({ job }) => job as Job);
  }
  const itemsOf = async (id: string) => (await readParts('items', id)) as Item[];
  const outcomesOf = async (id: string) => (await readParts('outcomes', id)) as Outcome[];
  return {
    async put(job, items) {
      const db = await open();
      for (const list of chunks(items, PART)) {
        // oxlint-disable-next-line no-await-in-loop -- part after part, as said above
        await db.add('items', { jobId: job.id, list });
      }
      // Last, so that a job that is there is there whole. Ended at once: what a page that goes has not ended is undone.
      const tx = db.transaction('jobs', 'readwrite');
      const put = tx.store.put({ id: job.id, holder: job.holder, kind, job });
      tx.commit();
      await Promise.all([put, tx.done]);
    },
    async note(id, outcomes) {
      await (await open()).add('outcomes', { jobId: id, list: outcomes });
    },
    jobs,
    items: itemsOf,
    async whole(holder) {
      const kept = await jobs(holder);
      return Promise.all(
        kept.map(async (job) => ({ job, items: await itemsOf(job.id), outcomes: await outcomesOf(job.id) })),
      );
    },
    dropItems: (id) => dropParts(id, ['items']),
    drop,
  };
}
