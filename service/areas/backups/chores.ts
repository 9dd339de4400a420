import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';
import { endLost } from './lost.ts';
import { makeNext } from './make.ts';
import { dropOld, queueDue } from './schedule.ts';
import { sweep } from './storage.ts';
import * as store from './store.ts';
import { VERIFYING, verifyNext } from './verify.ts';

export const MAKING = 'backups';
const MINUTE = 60_000;

/** Of a service that does not stop. */
const GOING_ON = new AbortController().signal;

interface Around {
  db: Db;
  services: Services;
}

/** Makes backups one after the other; ends those that nobody makes any more; plans those of the schedule and drops old ones; verifies. */
export const backupChores = (around: Around): readonly Chore[] => [
  {
    name: MAKING,
    everyMs: 10_000,
    async run(signal = GOING_ON) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      while (!signal.aborted && (await makeNext({ ...around, signal })));
    },
  },
  { name: 'lost backups', everyMs: 10_000, run: () => endLost(around) },
  {
    name: 'backup schedule',
    everyMs: MINUTE,
    async run() {
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
