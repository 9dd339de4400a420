import { expireSessions, forgetActivity } from '../../kernel/audit/activity.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';

const MINUTE = 60_000;

/**
 * The activity log keeps this many days: the 90 of the report, the rest of its first day, and a week more, so that
 * nobody's open page loses its last rows while they read it.
 */
export const ACTIVITY_KEPT_DAYS = 98;

/** Sessions that ran out are ended and told; what the report reaches no more is forgotten, and its counts with it. */
export const activityChores = ({ db }: { db: Db }): Chore[] => [
  { name: 'sessions that ran out', everyMs: MINUTE, run: () => expireSessions(db) },
  {
    name: 'old activity',
    everyMs: 60 * MINUTE,
    async run() {
      await forgetActivity(db, ACTIVITY_KEPT_DAYS);
    },
  },
];
