import { type Db, getSharedDb } from '../../kernel/db/database.ts';
import { readMessages, type StoredMessage } from './publications.store.ts';

/** Batches of a process that wait for their consumers, each of at most 4 MB. */
const MAX_BATCHES = 8;
/** Time for which a batch waits: a consumer that is behind polls again as soon as it has worked on the last one. */
const KEEP_MS = 2_000;

/** A full batch of one topic: its messages do not change, so that it is the same whenever it is read. */
interface BatchKey {
  siteId: number;
  clientId: number;
  topicId: number;
  from: number;
  count: number;
}

const formatKey = ({ siteId, clientId, topicId, from, count }: BatchKey): string =>
  [siteId, clientId, topicId, from, count].join(' ');

const batchesByDb = new WeakMap<Db, Map<string, Promise<StoredMessage[]>>>();

/** Reads a batch that the consumer will ask for next, while it works on the one before. There must be `count` events or more. */
export function readAhead(db: Db, batch: BatchKey): void {
  const sharedDb = getSharedDb(db);
  const batches = batchesByDb.get(sharedDb) ?? new Map<string, Promise<StoredMessage[]>>();
  batchesByDb.set(sharedDb, batches);
  const key = formatKey(batch);
  if (batches.size >= MAX_BATCHES || batches.has(key)) return;
  const reading = readMessages(sharedDb, batch.siteId, new Map([[batch.topicId, batch.from]]), batch.count);
  // Whoever takes it gets the error.
  reading.catch(() => {});
  batches.set(key, reading);
  setTimeout(() => {
    if (batches.get(key) === reading) batches.delete(key);
  }, KEEP_MS).unref();
}

/** The batch if it was read ahead; undefined otherwise. */
export function takeBatch(db: Db, batch: BatchKey): Promise<StoredMessage[]> | undefined {
  const key = formatKey(batch);
  const batches = batchesByDb.get(getSharedDb(db));
  const reading = batches?.get(key);
  batches?.delete(key);
  return reading;
}
