import { deleteEndedWindows } from '../auth/throttle.store.ts';
import type { Db } from '../db/database.ts';
import { deleteExpiredEventsTask } from '../outbox/delete-expired-events.ts';
import type { ScheduledTask } from '../tasks/scheduled-tasks.ts';
import { defineArea } from './area.ts';

const HOUR_MS = 3_600_000;

/** Scheduled task that deletes the counters of rate limits whose windows have ended. */
const createRateLimitCleanupTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'ended rate limits',
  intervalMs: HOUR_MS,
  run: async () => ((await deleteEndedWindows(db)) ? { runAgainInMs: 0 } : undefined),
});

/** The tables and tasks of the kernel: sessions, links, audit log, outbox, mail, limits. */
export const kernelArea = defineArea({
  name: 'kernel',
  tasks: (context) => [deleteExpiredEventsTask(context), createRateLimitCleanupTask(context)],
  tables: {
    session: { backup: { leftOut: 'secrets' } },
    one_time_link: { backup: { leftOut: 'secrets' } },
    audit_log: { backup: { leftOut: 'log of the installation' } },
    seat_change: { backup: { leftOut: 'derived from the audit log' } },
    topic: { backup: { leftOut: 'log of the installation' } },
    topic_event: { backup: { leftOut: 'log of the installation' }, retention: '9 days' },
    mail: { backup: { leftOut: 'log of the installation' } },
    task_failure: { backup: { leftOut: 'log of the installation' } },
    throttle: { backup: { leftOut: 'counters of the installation' } },
  },
});
