import type { UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { activities, sources } from '../../../contract/rules/activity.ts';
import type { StoredActivity } from './store.ts';

/** A row as the report shows it: codes with their names. */
export function shown({ at, ...row }: StoredActivity): UserActivityEntry {
  return {
    ...row,
    eventDate: at.toISOString(),
    activityType: activities[row.activityTypeId] ?? String(row.activityTypeId),
    sourceType: sources[row.sourceTypeId] ?? String(row.sourceTypeId),
  };
}
