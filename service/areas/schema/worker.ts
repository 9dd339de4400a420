import type { Db } from '../../kernel/db/database.ts';
import type { Log } from '../../kernel/log.ts';
import { runFieldJobs } from './jobs.ts';

/** How long a change of the schema waits at most until what it left is begun. */
const POLL_MS = 2_000;

/** Does what changes of the schema leave to be done, in the background; every process may run one. */
export function startFieldWorker({ db, log }: { db: Db; log: Log }): { stop: () => Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = loop();

  async function loop(): Promise<void> {
    await run();
    if (!isStopped) timer = setTimeout(again, POLL_MS).unref();
  }

  function again(): void {
    round = loop();
  }

  async function run(): Promise<void> {
    try {
      await runFieldJobs(db, () => isStopped);
    } catch (error) {
      // The database is away: what is to be done is safe in it, and the next round asks again.
      log.error({ err: error }, 'What the schema left to be done could not be done');
    }
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
