import { FIELD } from '../../../contract/rules/fields.ts';
import { joinNames } from '../../import/name-list.ts';
import { dateWords } from '../dates.ts';
import type { Field } from '../schema.ts';
import { calledIn } from './book.ts';
import type { Book } from './book.ts';
import type { Held } from './stored.ts';

/** What a field holds, as the page shows it before and after. */
export function heldWords(held: Held | undefined, field: Field, book: Book): string {
  if (held === undefined) return '';
  if (typeof held === 'boolean') return held ? 'Yes' : 'No';
  if (typeof held === 'object')
    return 'currencyCode' in held
      ? `${held.currencyCode ?? ''} ${held.value}`.trim()
      : joinNames(held.map((id) => calledIn(book, id)));
  if (typeof held === 'number')
    return [FIELD.choice, FIELD.reference, FIELD.user].some((type) => type === field.fieldType)
      ? calledIn(book, held)
      : String(held);
  if (field.fieldType !== FIELD.date) return held;
  return field.isDateOnly ? dateWords(held, true) : `${dateWords(held, false)} UTC`;
}
