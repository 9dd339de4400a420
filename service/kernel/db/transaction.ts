import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db, Tx } from './database.ts';
import { dbErrorOf } from './errors.ts';

const serializationFailure = '40001';
const deadlock = '40P01';
const attempts = 6;
/** First half of the keys of the locks of sites; any number will do that no other lock of ours has. */
const SITE_LOCK = 7_401;

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
 * `aloneOnSite`: of the transactions that name this site one runs after the other, each seeing what the one before
 * has done; all others go on beside it. The embedded database takes one transaction at a time anyway.
 */
export async function withTransaction<T>(
  db: Db,
  { aloneOnSite }: { aloneOnSite?: number | undefined },
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async (tx) => {
          // Before every other statement: what stands before it would have been read too early.
          if (aloneOnSite !== undefined)
            await sql`select pg_advisory_xact_lock(${SITE_LOCK}::int, ${aloneOnSite}::int)`.execute(tx);
          return fn(tx);
        });
    } catch (error) {
      if (attempt + 1 >= attempts || !mayRetry(error)) throw error;
    }
    await pauseBefore(attempt);
  }
}
