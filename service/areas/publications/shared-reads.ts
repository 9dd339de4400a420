import { type Db, getSharedDb } from '../../kernel/db/database.ts';
import { readMessages, type StoredMessage } from './messages.store.ts';

/** Reads that a process keeps, each of at most 4 MB; the oldest gives way. */
const MAX_READS = 8;
/** Time for which a read is kept: a consumer that is behind polls again as soon as it has worked on the messages before. */
const KEEP_MS = 2_000;

const readsByDb = new WeakMap<Db, Map<string, Promise<StoredMessage[]>>>();

/**
 * At most `count` messages of a topic whose next offset is `end`. Messages do not change: they are read once for all consumers that ask for
 * the same within a moment, as those do that an event has woken.
 */
export function readShared(
  db: Db,
  { siteId, topicId, from, count, end }: Record<'siteId' | 'topicId' | 'from' | 'count' | 'end', number>,
): Promise<StoredMessage[]> {
  const sharedDb = getSharedDb(db);
  const reads = readsByDb.get(sharedDb) ?? new Map<string, Promise<StoredMessage[]>>();
  readsByDb.set(sharedDb, reads);
  // A read that began with an earlier end may lack the last messages.
  const key = [siteId, topicId, from, count, Math.min(end, from + count)].join(' ');
  const known = reads.get(key);
  if (known) return known;
  const reading = readMessages(sharedDb, siteId, { topicId, from, limit: count });
  const forget = () => {
    if (reads.get(key) === reading) reads.delete(key);
  };
  // The error of a read is for those who wait for it.
  reading.catch(forget);
  setTimeout(forget, KEEP_MS).unref();
  reads.set(key, reading);
  const [oldest] = reads.keys();
  if (reads.size > MAX_READS && oldest !== undefined) reads.delete(oldest);
  return reading;
}
