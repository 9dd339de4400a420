import { FIELD, holdsMoney, isFileField, isIdField } from '../../../../contract/rules/fields.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { isFile, isMoney, isNamed, itemsOf } from '../model/values.ts';

/** An amount of a currency; without one it is in the currency that the entry has. */
export interface Amount {
  value: number;
  currencyCode: string | undefined;
}

/**
 * What a field holds, in the form that is compared: ids for choices, entries and users (a list where there may be
 * several), a day or a moment in UTC as text, an amount with its currency. A field without data is undefined.
 */
export type Held = string | number | boolean | readonly number[] | Amount;

/** What a row of the service holds in a field. */
export function heldIn(value: FieldValue | undefined, field: Field): Held | undefined {
  const items = itemsOf(value);
  const [item] = items;
  if (item === undefined || item === null) return undefined;
  if (isFileField(field.fieldType)) return items.filter(isFile).map(({ id }) => id);
  if (isIdField(field.fieldType)) {
    const ids = items.filter(isNamed).map(({ id }) => id);
    return field.isMultiSelect ? ids : ids[0];
  }
  if (holdsMoney(field))
    return isMoney(item) ? { value: item.value, currencyCode: item.currencyCode } : undefined;
  if (typeof item === 'object') return undefined;
  return field.fieldType === FIELD.date && field.isDateOnly && typeof item === 'string'
    ? item.slice(0, 10)
    : item;
}

const isAmount = (held: Held | undefined): held is Amount =>
  typeof held === 'object' && 'currencyCode' in held;

/** Whether a field would hold the same. An amount without a currency is of the one that is there. */
export function isSame(wanted: Held | undefined, now: Held | undefined): boolean {
  if (isAmount(wanted) && isAmount(now))
    return (
      wanted.value === now.value &&
      (wanted.currencyCode === undefined || wanted.currencyCode === now.currencyCode)
    );
  if (Array.isArray(wanted) && Array.isArray(now)) return wanted.join() === now.join();
  return wanted === now;
}
