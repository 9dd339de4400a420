import type { Db } from '../../kernel/db/database.ts';
import { retryLater } from '../../kernel/http/errors.ts';
import type { Step, Steps } from '../../kernel/http/steps.ts';
import type { Log } from '../../kernel/log.ts';
import { beginStep, endSteps, writeSteps, type AnsweredStep } from './steps.store.ts';

/** Steps that only read are written together, this long after the first of them at the latest. */
const WAIT_MS = 500;
/** What waits to be written while the database does not take it; beyond, nobody acts until it does. */
const MOST_WAITING = 5_000;
/** One statement writes at most so many. */
const AT_ONCE = 1_000;

/** Writes steps down: writes before they are done, everything else together and a little later. */
export function keepSteps(db: Db, log: Pick<Log, 'error'>): Steps & { stop(): Promise<void> } {
  let waiting: AnsweredStep[] = [];
  let ended = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;

  const plan = () => {
    timer ??= setTimeout(() => void flush(), WAIT_MS).unref();
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    round ??= writeAll().finally(() => {
      round = undefined;
      if (waiting.length + ended.size > 0) plan();
    });
    return round;
  }

  /** What could not be written waits for the next round. */
  async function writeAll(): Promise<void> {
    const [steps, statuses] = [waiting.slice(0, AT_ONCE), ended];
    try {
      if (steps.length > 0) await writeSteps(db, steps);
      waiting = waiting.slice(steps.length);
      ended = new Map();
      if (statuses.size > 0) await endSteps(db, statuses);
    } catch (error) {
      ended = new Map([...statuses, ...ended]);
      log.error({ err: error }, 'Steps of acting could not be written and will be tried again');
    }
  }

  return {
    requireRoom() {
      if (waiting.length + ended.size >= MOST_WAITING)
        throw retryLater(503, 'What is done while acting cannot be written down at the moment', 5);
    },
    begin: (step) => beginStep(db, step),
    ended(stepId, status) {
      ended.set(stepId, status);
      plan();
    },
    note(step: Step, status) {
      waiting.push({ ...step, status });
      plan();
    },
    async stop() {
      clearTimeout(timer);
      for (let rounds = 0; waiting.length + ended.size > 0 && rounds < 10; rounds += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one round after the other
        await flush();
      }
    },
  };
}
