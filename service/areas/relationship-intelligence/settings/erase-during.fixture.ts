import { type Db, withTransaction } from '../../../kernel/db/database.ts';
import { untilSomebodyWaits } from '../../../testing/databases.ts';
import { eraseAddress } from './erasure.store.ts';
import { lockSettings } from './settings.store.ts';

/** Erases an address; `act` begins when it is gone but not committed, and ends or waits for the erasure before the commit. */
export async function eraseDuring<Result>(
  db: Db,
  { siteId, userId, address }: { siteId: number; userId: number; address: string },
  act: () => Promise<Result>,
): Promise<Result> {
  const { acting } = await withTransaction(db, {}, async (tx) => {
    await lockSettings(tx, siteId);
    await eraseAddress(tx, { siteId, userId }, address);
    const started = { acting: act() };
    await Promise.race([started.acting, untilSomebodyWaits(db)]);
    return started;
  });
  return acting;
}
