import { FIELD } from '../../../../contract/rules/fields.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { dateWords, zoneMark } from '../model/dates.ts';
import type { Field } from '../model/schema.ts';
import { itemText, itemsOf } from '../model/values.ts';

/** How much is staged, in words: "3 changes and 2 deletions". */
export const stagedWords = ({ cells, deletions }: { cells: number; deletions: number }): string =>
  [
    (cells > 0 || deletions === 0) && counted(cells, 'change', 'changes'),
    deletions > 0 && counted(deletions, 'deletion', 'deletions'),
  ]
    .filter(Boolean)
    .join(' and ');

/** A value in words, dates in the zone in which they are shown; empty for no data. */
export const wordsOf = (
  value: FieldValue | undefined,
  field: Pick<Field, 'fieldType' | 'isMoney' | 'isDateOnly'>,
  zone: string,
): string =>
  itemsOf(value)
    .map((item) => {
      if (field.fieldType !== FIELD.date || typeof item !== 'string') return itemText(item, field);
      const words = dateWords(item, field.isDateOnly, zone);
      return field.isDateOnly ? words : `${words} ${zoneMark(item, zone)}`;
    })
    .join(', ');

const MOST = 160;
const AROUND = 40;

const cut = (text: string, from: number): string => {
  const part = text.slice(from, from + MOST);
  return `${from > 0 ? '…' : ''}${part}${from + MOST < text.length ? '…' : ''}`;
};

/** Two texts cut to where they begin to differ: of a million characters nobody finds the one that is another. */
export function excerpts(before: string, after: string): [before: string, after: string] {
  if (before.length <= MOST && after.length <= MOST) return [before, after];
  let same = 0;
  const most = Math.min(before.length, after.length);
  while (same < most && before[same] === after[same]) same += 1;
  const from = Math.max(0, same - AROUND);
  return [cut(before, from), cut(after, from)];
}

const bare = (text: string): string => text.replaceAll(/\s+/g, '');

/** What tells two texts apart, where it is easily overlooked. */
export function subtleDifference(before: string, after: string): string | undefined {
  if (before === after || before === '' || after === '') return undefined;
  if (before.toLowerCase() === after.toLowerCase()) return 'Only the case of letters differs';
  return bare(before) === bare(after) ? 'Only spaces differ' : undefined;
}
