import type { Origin } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';
import type { Log } from '../../kernel/log.ts';
import { addUse, forgetUse, type Use } from './usage.store.ts';

/** One write a minute and process, however many calls there are: a key is called hundreds of times a second. */
const EVERY_MS = 60_000;
/** Kinds of calls that wait at most; who calls from ever new addresses is written earlier. */
const MOST_KINDS = 2_000;
/** What a program calls itself; the rest of a long name says nothing. */
const AGENT_LENGTH = 120;
const DAY = 86_400_000;

/** Counts the calls that are made with API keys. */
export interface KeyUse {
  count(clientId: number, operationId: string, origin: Origin): void;
  stop(): Promise<void>;
}

/** Keeps the counts of this process for a minute at most, and adds them to those of all. */
export function countKeyUse(db: Db, log: Pick<Log, 'error'>): KeyUse {
  let waiting = new Map<string, Use>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const uses = [...waiting.values()];
    waiting = new Map();
    try {
      if (uses.length > 0) await addUse(db, uses);
    } catch (error) {
      // Counts are for people who ask what uses a key: a minute of them is not worth more than the calls themselves.
      log.error({ err: error }, 'Calls with API keys could not be counted');
    }
  }

  return {
    count(clientId, operationId, { ip, userAgent }) {
      const agent = (userAgent ?? '')
        .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
        .slice(0, AGENT_LENGTH)
        .toWellFormed();
      const key = `${clientId} ${operationId} ${ip} ${agent}`;
      const use = waiting.get(key);
      if (use) use.calls += 1;
      else waiting.set(key, { clientId, operationId, ip, agent, calls: 1 });
      if (waiting.size >= MOST_KINDS) void flush();
      else timer ??= setTimeout(() => void flush(), EVERY_MS).unref();
    },
    stop: flush,
  };
}

/** What is told no longer is forgotten. */
export const keyUseChore = ({ db }: { db: Db }): Chore => ({
  name: 'old use of API keys',
  everyMs: DAY / 4,
  run: () => forgetUse(db),
});
