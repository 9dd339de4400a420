import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import type { Holder } from '../api/session-gate.ts';
import type { BulkAction } from './actions.ts';
import { chunks } from './calls.ts';
import { DATABASE } from './drop.ts';
import type { Outcome } from './outcome.ts';
import type { Change } from './person.ts';

/** A change of many people that was agreed to, as it is kept for the time after a reload. */
export interface BulkJob {
  id: string;
  /** Who began it, and where: nobody else goes on with it. */
  holder: Holder;
  siteName: string;
  userName: string;
  /** When it was agreed to. */
  at: string;
  title: string;
  action: BulkAction;
  changes: readonly Change[];
  /** The groups of the people by name, for report and inverse. */
  names: ReadonlyMap<number, string>;
}

type Kept = Omit<BulkJob, 'changes'>;

interface Schema extends DBSchema {
  jobs: { key: string; value: Kept };
  changes: { key: number; value: { jobId: string; changes: readonly Change[] }; indexes: { jobId: string } };
  outcomes: {
    key: number;
    value: { jobId: string; outcomes: readonly Outcome[] };
    indexes: { jobId: string };
  };
}

const PART = 1000;
let opened: Promise<IDBPDatabase<Schema>> | undefined;

function open(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>(DATABASE, 1, {
    upgrade(db) {
      db.createObjectStore('jobs', { keyPath: 'id' });
      db.createObjectStore('changes', { autoIncrement: true }).createIndex('jobId', 'jobId');
      db.createObjectStore('outcomes', { autoIncrement: true }).createIndex('jobId', 'jobId');
    },
    // Another tab signs out and deletes everything.
    blocking: (_, __, event) => {
      opened = undefined;
      if (event.target instanceof IDBDatabase) event.target.close();
    },
  });
  return opened;
}

/** Keeps a job before it begins. In parts: a hundred thousand people at once would hold the page up. */
export async function keepJob({ changes, ...job }: BulkJob): Promise<void> {
  const db = await open();
  for (const part of chunks(changes, PART)) {
    // oxlint-disable-next-line no-await-in-loop -- part after part, as said above
    await db.add('changes', { jobId: job.id, changes: part });
  }
  // Last, so that a job that is there is there whole.
  await db.put('jobs', job);
}

/** Notes what came of people; who is not noted is read again before anything is done to them twice. */
export async function keepOutcomes(jobId: string, outcomes: readonly Outcome[]): Promise<void> {
  await (await open()).add('outcomes', { jobId, outcomes });
}

/** The jobs that this person began on this site, with what came of them so far; those of other people are dropped. */
export async function keptJobs(holder: Holder): Promise<{ job: BulkJob; outcomes: Outcome[] }[]> {
  const db = await open();
  const all = await db.getAll('jobs');
  const others = all.filter(({ holder: own }) => own.userId !== holder.userId);
  await Promise.all(others.map(({ id }) => dropJob(id)));
  const mine = all.filter(({ holder: own }) => own.userId === holder.userId && own.siteId === holder.siteId);
  return Promise.all(
    mine.map(async (job) => ({
      job: {
        ...job,
        changes: (await db.getAllFromIndex('changes', 'jobId', job.id)).flatMap(({ changes }) => changes),
      },
      outcomes: (await db.getAllFromIndex('outcomes', 'jobId', job.id)).flatMap(({ outcomes }) => outcomes),
    })),
  );
}

/** Forgets a job. */
export async function dropJob(id: string): Promise<void> {
  const db = await open();
  const tx = db.transaction(['jobs', 'changes', 'outcomes'], 'readwrite');
  await tx.objectStore('jobs').delete(id);
  for (const name of ['changes', 'outcomes'] as const) {
    const store = tx.objectStore(name);
    // oxlint-disable-next-line no-await-in-loop -- two stores of one transaction
    const keys = await store.index('jobId').getAllKeys(id);
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all(keys.map((key) => store.delete(key)));
  }
  await tx.done;
}
