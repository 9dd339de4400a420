import type { FieldValueItem } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { itemText } from '../model/values.ts';

const MOST_ITEMS = 3;
// About as wide as the letters of a tag are, what is around them, and the number of those left out.
const LETTER = 7;
const AROUND = 20;
const MORE = 28;

/** One tag that can be read says more than three of which a letter is seen: the others are counted. */
export function itemsThatFit(items: readonly FieldValueItem[], field: Field, room = Infinity): number {
  let taken = 0;
  let fitting = 0;
  for (const item of items.slice(0, MOST_ITEMS)) {
    taken += itemText(item, field).length * LETTER + AROUND;
    const rest = fitting + 1 < items.length ? MORE : 0;
    if (fitting > 0 && taken + rest > room) break;
    fitting += 1;
  }
  return fitting;
}
