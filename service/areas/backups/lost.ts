import { change, hostActor, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { HOLDER, tellOutcome } from './make.ts';
import { discard } from './storage.ts';
import * as store from './store.ts';

const LOST = 'The service ended while it wrote the backup. Nothing of it is left on the disk.';

/** Ends backups of a site whose makers have died, in the caller's transaction; answers what to remove from the disk. */
export async function endLostOf(
  tx: Tx,
  siteId: number,
  record: Recorder,
  { publicUrl, holder = HOLDER }: { publicUrl: string; holder?: string | undefined },
): Promise<string[]> {
  const ended = await store.endLost(tx, siteId, holder, LOST);
  for (const backup of ended) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await tellOutcome(tx, { ...backup, siteId }, publicUrl, LOST);
    record({
      action: 'backup.failed',
      subject: ['backup', backup.fileName],
      changes: { status: ['Running', 'Failed'], reason: [null, 'interrupted'] },
    });
  }
  return ended.map(({ storageId }) => storageId);
}

/** Ends those of all sites, and removes what they left on the disk. */
export async function endLost(
  { db, services }: { db: Db; services: Pick<Services, 'publicUrl' | 'dataDir' | 'wakeMail'> },
  holder = HOLDER,
): Promise<void> {
  const { publicUrl, dataDir } = services;
  for (const siteId of await store.sitesWithLost(db, holder)) {
    // oxlint-disable-next-line no-await-in-loop -- each in a change of its own site: it is written down there
    const left = await change(db, hostActor(siteId), (tx, record) =>
      endLostOf(tx, siteId, record, { publicUrl, holder }),
    );
    // oxlint-disable-next-line no-await-in-loop
    for (const storageId of left) await discard(dataDir, storageId);
    services.wakeMail();
  }
}
