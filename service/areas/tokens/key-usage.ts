import type { RequestOrigin } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { addKeyUsage, deleteOldKeyUsage, type KeyUsage } from './key-usage.store.ts';

/** One write per minute and process, because a key may be used hundreds of times per second. */
const FLUSH_INTERVAL_MS = 60_000;
/** Maximum number of buffered rows; callers with ever new addresses cause an earlier write. */
const MAX_BUFFERED_ROWS = 2_000;
/** Maximum length of a user agent; longer ones are cut. */
const MAX_AGENT_LENGTH = 120;
const DAY_MS = 86_400_000;

/** Counts calls made with API keys. */
export interface KeyUsageCounter {
  count(clientId: number, operationId: string, origin: RequestOrigin): void;
  stop(): Promise<void>;
}

function formatAgent(userAgent: string): string {
  // Nearly all are plain, and matching classes of characters takes longer.
  if (userAgent.length <= MAX_AGENT_LENGTH && /^[ -~]*$/.test(userAgent)) return userAgent;
  return userAgent
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .slice(0, MAX_AGENT_LENGTH)
    .toWellFormed();
}

/** Buffers counts in this process for at most a minute and then adds them to the stored ones. */
export function createKeyUsageCounter(db: Db, log: Pick<Log, 'error'>): KeyUsageCounter {
  let buffered = new Map<string, KeyUsage>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const usages = [...buffered.values()];
    buffered = new Map();
    try {
      if (usages.length > 0) await addKeyUsage(db, usages);
    } catch (error) {
      // Usage counts are informational: losing a minute of them is better than failing calls.
      log.error({ err: error }, 'API key usage could not be saved');
    }
  }

  return {
    count(clientId, operationId, { ip, userAgent }) {
      const agent = formatAgent(userAgent ?? '');
      const key = `${clientId} ${operationId} ${ip} ${agent}`;
      const usage = buffered.get(key);
      if (usage) usage.calls += 1;
      else buffered.set(key, { clientId, operationId, ip, agent, calls: 1 });
      if (buffered.size >= MAX_BUFFERED_ROWS) void flush();
      else timer ??= setTimeout(() => void flush(), FLUSH_INTERVAL_MS).unref();
    },
    stop: flush,
  };
}

/** Deletes usage counts after the retention period. */
export const keyUsageCleanupTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'API key usage cleanup',
  intervalMs: DAY_MS / 4,
  run: async () => ((await deleteOldKeyUsage(db)) ? { runAgainInMs: 0 } : undefined),
});
