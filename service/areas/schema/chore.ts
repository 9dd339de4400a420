import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';
import { runFieldJobs } from './jobs.ts';

/** A change of the schema wakes it under this name. */
export const FIELD_JOBS = 'field jobs';

/** A round ends after so long, so that a stop does not wait for a million entries; what is left is the next one's. */
const ROUND_MS = 2_000;

/** Does what changes of the schema leave to be done with the entries. */
export const fieldJobsChore = ({ db, services }: { db: Db; services: Services }): Chore => ({
  name: FIELD_JOBS,
  everyMs: 10_000,
  async run() {
    const end = performance.now() + ROUND_MS;
    const isAllDone = await runFieldJobs(db, () => performance.now() > end);
    if (!isAllDone) services.wakeChore(FIELD_JOBS);
  },
});
