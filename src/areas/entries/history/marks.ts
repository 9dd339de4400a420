import type { PastDifference } from '../../../api/generated/types.gen.ts';
import type { RowMark } from '../grid/marks.ts';

/** What became of a row since then, in a word beside its name and in words. */
function fateOf({ state, mergedEntryId, isDeleted }: PastDifference): Pick<RowMark, 'short' | 'words'> {
  if (state === 'added') return { short: 'Added', words: 'Added since' };
  if (state === 'changed') return { short: 'Changed', words: 'Changed since' };
  if (mergedEntryId !== undefined)
    return { short: 'Merged', words: `Merged since, into entry ${mergedEntryId}` };
  return isDeleted
    ? { short: 'Deleted', words: 'Deleted since' }
    : { short: 'Left', words: 'No longer matches what is asked for' };
}

/** How a row is different today, as a grid shows it. */
export const markFrom = (difference: PastDifference): RowMark => ({
  ...fateOf(difference),
  state: difference.state,
  today: new Map(difference.fields?.map((name) => [name, { value: difference.today?.[name] }])),
});
