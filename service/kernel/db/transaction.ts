import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Tx } from './database.ts';
import { dbErrorOf } from './errors.ts';

const serializationFailure = '40001';
const deadlock = '40P01';
const attempts = 6;

/** Only these leave nothing behind and may go well on the next try; a lost connection may have committed. */
function mayRetry(error: unknown): boolean {
  const code = dbErrorOf(error)?.code;
  return code === serializationFailure || code === deadlock;
}

/** Up to 10, 20, 40 … ms, by chance, so that rivals do not meet again. */
const pauseBefore = (attempt: number) => sleep(Math.random() * 10 * 2 ** attempt);

/**
 * Runs `fn` in one transaction and runs it again, from the start, when the database broke a tie against it:
 * `fn` must do nothing outside the database that cannot be done twice.
 */
export async function withTransaction<T>(
  db: Db,
  { isolation = 'read committed' }: { isolation?: 'serializable' | 'read committed' },
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(fn);
    } catch (error) {
      if (attempt + 1 >= attempts || !mayRetry(error)) throw error;
    }
    await pauseBefore(attempt);
  }
}
