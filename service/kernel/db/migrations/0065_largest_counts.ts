import type { IndexDefinition } from '../concurrent-indexes.ts';

/** The users and addresses with the most rows of a kind in an interval are found without reading those with few (0018). */
export const largestCountIndexes: readonly IndexDefinition[] = [
  {
    name: 'activity_person_largest',
    definition: 'on activity_person (site_id, kind, begins, n desc, user_id) where role = 1',
  },
  {
    name: 'activity_from_largest',
    definition: 'on activity_from (site_id, kind, week, n desc, address)',
  },
];

/** Changes no table. */
export async function up(): Promise<void> {}
