/**
 * What a change of the schema leaves to be done with entries that are there: filling slots and searched texts, clearing
 * what deleted fields held, calculating anew. A piece at a time, each in a transaction of its own that remembers how far
 * it came, so that a stop costs nothing and several processes share the work. Writers do the same to what they write:
 * an entry that is written before its piece comes is found right, one written after it stays right.
 */
import type { Db, Tx } from '../../kernel/db/database.ts';
import { withTransaction } from '../../kernel/db/transaction.ts';
import * as store from './jobs.store.ts';
import type { FieldJob } from './jobs.store.ts';
import { holdSchema } from './load.store.ts';
import type { SiteSchema } from './schema.ts';
import { renewCaches } from './store.ts';

/** Does what there is to do, until `isOver`; answers whether all of it is done. One job that fails stops no other. */
export async function runFieldJobs(db: Db, isOver: () => boolean = () => false): Promise<boolean> {
  const failures: unknown[] = [];
  for (const job of await store.listJobs(db)) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other, so that requests come in between
      while (await runPiece(db, job)) if (isOver()) return false;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, 'Some of what the schema left to be done failed');
  return true;
}

/** Does one piece of a job; answers whether there is more for us. */
const runPiece = (db: Db, job: FieldJob): Promise<boolean> =>
  withTransaction(db, {}, async (tx) => {
    const schema = await holdSchema(tx, job.siteId);
    const now = await store.lockJob(tx, job);
    return now !== undefined && PIECES[now.job](tx, now, schema);
  });

/** Notes how far a job came, or that it came to its end. */
async function goOn(tx: Tx, job: FieldJob, afterId: number | undefined): Promise<boolean> {
  if (afterId === undefined) await store.endJob(tx, job);
  else await store.moveJob(tx, job, afterId);
  return afterId !== undefined;
}

type Piece = (tx: Tx, job: FieldJob, schema: SiteSchema) => Promise<boolean>;

const PIECES: Readonly<Record<FieldJob['job'], Piece>> = {
  async slot(tx, job, schema) {
    const field = schema.fieldsById.get(job.fieldId);
    // A field may have lost its slot, or have been deleted, since.
    if (!field?.slot) return goOn(tx, job, undefined);
    const afterId = await store.fillSlot(tx, job, field);
    if (afterId === undefined) await ready(tx, job, 'slot_state');
    return goOn(tx, job, afterId);
  },

  async search(tx, job, schema) {
    const field = schema.fieldsById.get(job.fieldId);
    if (!field?.isSearchable) return (await store.clearSearch(tx, job)) || goOn(tx, job, undefined);
    const afterId = await store.fillSearch(tx, job, field);
    if (afterId === undefined) await ready(tx, job, 'search_state');
    return goOn(tx, job, afterId);
  },

  async calculate(tx, job) {
    return goOn(tx, job, await store.queuePiece(tx, job));
  },

  async clear(tx, job) {
    const afterId = await store.clearValues(tx, job);
    if (afterId !== undefined) return goOn(tx, job, afterId);
    if ((await store.clearMulti(tx, job)) || (await store.clearSearch(tx, job))) return true;
    // The job goes with it, and the slot is free for another field.
    await store.forgetField(tx, job);
    return false;
  },
};

async function ready(tx: Tx, job: FieldJob, state: 'slot_state' | 'search_state'): Promise<void> {
  await store.markReady(tx, job, state);
  await renewCaches(tx, job.siteId);
}
