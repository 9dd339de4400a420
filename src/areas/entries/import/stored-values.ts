import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD, holdsMoney, isFileField, isIdField } from '../../../../contract/rules/schema/fields.ts';
import type { Field } from '../model/schema.ts';
import { isFile, isMoney, isNamed, toItems } from '../model/values.ts';

/** Amount of money; without a currency it has the currency of the entry. */
export interface Amount {
  value: number;
  currencyCode: string | undefined;
}

/**
 * Value of a field as compared: ids for choices, entries and users (a list for fields with several values), dates and
 * timestamps in UTC as text, amounts with currency. A field without data is undefined.
 */
export type StoredValue = string | number | boolean | readonly number[] | Amount;

/** Converts a value of the service. */
export function toStoredValue(value: FieldValue | undefined, field: Field): StoredValue | undefined {
  const items = toItems(value);
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

const isAmount = (value: StoredValue | undefined): value is Amount =>
  typeof value === 'object' && 'currencyCode' in value;

/** Whether two values are equal. An amount without a currency has the currency of the stored one. */
export function isSameStoredValue(target: StoredValue | undefined, now: StoredValue | undefined): boolean {
  if (isAmount(target) && isAmount(now))
    return (
      target.value === now.value &&
      (target.currencyCode === undefined || target.currencyCode === now.currencyCode)
    );
  if (Array.isArray(target) && Array.isArray(now)) return target.join() === now.join();
  return target === now;
}

/** Value to write to a field, in the form of the service (shapes 4). */
export interface FieldWrite {
  fieldId: number;
  value: string | number | boolean | number[] | null;
  currencyCode?: string;
  /**
   * Set if the value refers to rows of this file: `first` if these must be created before, `later` if the field is set
   * in a later request.
   */
  rowOrder?: 'first' | 'later';
}

/** Requests to make for a row. */
export interface RowWork {
  items: readonly FieldWrite[];
  /** Values by field id when the row was planned. */
  before: Readonly<Record<number, StoredValue | undefined>>;
  /** Whether to store the row despite a nearly equal name. */
  ignoreNearDups: boolean;
}
