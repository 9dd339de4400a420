import type { PastDifference } from '../../generated/types.gen.ts';

/** Label and description of what happened to a row since a date. */
export function describeState({ state, mergedEntryId, isDeleted }: PastDifference): {
  label: string;
  description: string;
} {
  if (state === 'added') return { label: 'Added', description: 'Added since' };
  if (state === 'changed') return { label: 'Changed', description: 'Changed since' };
  if (mergedEntryId !== undefined)
    return { label: 'Merged', description: `Merged since, into entry ${mergedEntryId}` };
  return isDeleted
    ? { label: 'Deleted', description: 'Deleted since' }
    : { label: 'No match', description: 'No longer matches the filter' };
}
