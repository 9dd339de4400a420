import { change, hostActor } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';
import { HOLDER, makeNext, tellRequester } from './make.ts';
import { dropOld, queueDue } from './schedule.ts';
import { discard, sweep } from './storage.ts';
import * as store from './store.ts';
import { VERIFYING, verifyNext } from './verify.ts';

export const MAKING = 'backups';
const MINUTE = 60_000;
const LOST = 'The service ended while it wrote the backup. Nothing of it is left on the disk.';

/** Of a service that does not stop. */
const GOING_ON = new AbortController().signal;

interface Around {
  db: Db;
  services: Services;
}

/** Ends backups whose makers have died, and removes what they left on the disk. */
export async function endLost({ db, services }: Around, holder = HOLDER): Promise<void> {
  for (const lost of await lostOf(db, services, holder))
    // oxlint-disable-next-line no-await-in-loop -- hardly ever more than one
    await discard(services.dataDir, lost.storageId);
}

/** Each in a change of its own site: they are written down there. */
async function lostOf(db: Db, { publicUrl }: Services, holder: string): Promise<{ storageId: string }[]> {
  const all: { storageId: string }[] = [];
  for (const siteId of await store.sitesWithLost(db, holder)) {
    // oxlint-disable-next-line no-await-in-loop -- one site after the other
    const lost = await change(db, hostActor(siteId), async (tx, record) => {
      const ended = await store.endLost(tx, siteId, holder, LOST);
      for (const backup of ended) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        await tellRequester(tx, { ...backup, siteId }, publicUrl, LOST);
        record({
          action: 'backup.failed',
          subject: ['backup', backup.fileName],
          changes: { status: ['Running', 'Failed'], reason: [null, 'interrupted'] },
        });
      }
      return ended;
    });
    all.push(...lost);
  }
  return all;
}

/** Makes backups one after the other; plans those of the schedule and drops old ones; verifies. */
export const backupChores = (around: Around): readonly Chore[] => [
  {
    name: MAKING,
    everyMs: 10_000,
    async run(signal = GOING_ON) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      while (!signal.aborted && (await makeNext({ ...around, signal })));
    },
  },
  {
    name: 'backup schedule',
    everyMs: MINUTE,
    async run() {
      await endLost(around);
      await dropOld(around);
      if (await queueDue(around.db)) around.services.wakeChore(MAKING);
      const kept = await store.storageIds(around.db);
      await sweep(around.services.dataDir, (storageId) => kept.has(storageId));
    },
  },
  {
    name: VERIFYING,
    everyMs: 30_000,
    async run(signal = GOING_ON) {
      // oxlint-disable-next-line no-await-in-loop
      while (!signal.aborted && (await verifyNext({ ...around, signal })));
    },
  },
];
