import type { FieldValue, GoneField, RowVm } from '../../../../contract/generated/types.gen.ts';
import { isKnownField } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { formatItem, toItems, getValue } from '../model/values.ts';

/** Formats a value as one text with dates in UTC; empty for no data. */
export const formatPlainValue = (value: FieldValue | undefined, field: Field): string =>
  toItems(value)
    .map((item) => formatItem(item, field))
    .join(', ');

/** A field with different values in two rows. */
export interface Difference {
  field: Field;
  before: FieldValue | undefined;
  after: FieldValue | undefined;
  /** The field was deleted from the type. */
  isFieldDeleted?: boolean;
}

const isEqual = (a: FieldValue | undefined, b: FieldValue | undefined): boolean =>
  JSON.stringify(toItems(a)) === JSON.stringify(toItems(b));

/** Finds fields with different values in two rows; a different case is a difference (spec 4.4). */
export const findDifferences = (
  before: RowVm | undefined,
  after: RowVm | undefined,
  fields: readonly Field[],
): readonly Difference[] =>
  fields.flatMap((field) => {
    const pair = {
      field,
      before: before && getValue(before, field),
      after: after && getValue(after, field),
    };
    return isEqual(pair.before, pair.after) ? [] : [pair];
  });

/** Whether two texts differ only in case, which is easily overlooked. */
export function isCaseOnly({ before, after }: Pick<Difference, 'before' | 'after'>): boolean {
  if (typeof before !== 'string' || typeof after !== 'string' || before === after) return false;
  return before.toLowerCase() === after.toLowerCase();
}

/** Converts values of deleted fields to differences under the fields' former names; unsupported types are left out. */
export const toDeletedFieldDifferences = (
  deletedFields: readonly GoneField[] = [],
  [template]: readonly Field[],
): readonly Difference[] =>
  deletedFields.flatMap(({ before, after, ...properties }) => {
    const field = template && { ...template, ...properties, apiName: `$${properties.id}` };
    return field && isKnownField(field) ? [{ field, before, after, isFieldDeleted: true }] : [];
  });
