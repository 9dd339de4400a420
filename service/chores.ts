import { activityChores } from './areas/activity/index.ts';
import { backupChores } from './areas/backups/index.ts';
import { recalculation } from './areas/entries/index.ts';
import { endsChore } from './areas/invitations/index.ts';
import { fieldJobsChore } from './areas/schema/index.ts';
import { keyEndsChore, keyUseChore } from './areas/tokens/index.ts';
import type { Db } from './kernel/db/database.ts';
import type { Services } from './kernel/http/handler.ts';
import type { Chore } from './kernel/jobs/chores.ts';

/** Every chore of every area. */
export const choresOf = (around: { db: Db; services: Services }): readonly Chore[] => [
  ...activityChores(around),
  ...backupChores(around),
  endsChore(around),
  fieldJobsChore(around),
  keyEndsChore(around),
  keyUseChore(around),
  recalculation(around.db),
];
